/** Which nodes go on when they fail, and which wait. */
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

/** Who fails goes on, or has an output for its errors: all others end their execution. */
const FAILURES: Record<string, { goesOn?: string; hasErrorOutput?: string }> = {
  'ask-and-wait': {
    goesOn: 'Remember the batch of the SMS; What became of its SMS',
    hasErrorOutput: 'Send through the outbox; Wake the execution',
  },
  'campaign-buttons': { goesOn: 'Send through the outbox' },
  'campaign-load': { goesOn: 'Signatures to choose; Take the file; Templates to choose' },
  campaign: { goesOn: 'Heartbeat; Send through the outbox' },
  conversations: {
    goesOn:
      'Known templates; Message of the conversation; Message with this key; Opened message; Signatures; Templates; Token of the form; What was said',
    hasErrorOutput: 'Outbox',
  },
  dashboard: {
    goesOn:
      'Count them; Days; Does the inbox answer?; Does the service answer?; Heartbeats; Messages of the number; Not sent; Opt-outs in all; Rules; Sizes; Thresholds of the status; Who has subscribed',
  },
  'inbox-serve': { goesOn: 'Heartbeat', hasErrorOutput: 'Hand over' },
  outbox: {
    goesOn: 'Heartbeat; Known templates; Settle the messages',
    hasErrorOutput: 'Send a text; Send by template',
  },
  service: { goesOn: 'All signatures; All templates; Balance; Heartbeat' },
  upkeep: { goesOn: 'Heartbeat; Thresholds' },
  watchdog: {
    goesOn:
      'Does the inbox answer?; Get the latest record of the inbox; Get the sends that need a report; Get the subscribers; Get what was not sent; Heartbeat; Heartbeats; Send through the outbox; Sizes; Thresholds',
  },
};

test.each(deskNames())('of %s, only these go on when they fail', (file) => {
  const { nodes } = readDesk(file);
  const withOutput = (output: string) => {
    const all = nodes.filter(({ onError }) => onError === output).map(({ name }) => name);
    return all.sort().join('; ');
  };
  const { goesOn = '', hasErrorOutput = '' } = FAILURES[file] ?? {};
  expect(withOutput('continueRegularOutput')).toBe(goesOn);
  expect(withOutput('continueErrorOutput')).toBe(hasErrorOutput);
});

test.each(deskNames())('%s waits for nobody for ever: its executions hold lists', (file) => {
  for (const { name, type, parameters } of readDesk(file).nodes) {
    const waits = type.endsWith('.form') || (type.endsWith('.wait') && 'resume' in parameters);
    if (waits) expect([name, parameters.limitWaitTime]).toEqual([name, true]);
  }
});
