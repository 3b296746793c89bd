/**
 * Which rows of the tables each node reads, changes or deletes, and what it writes. A condition or field that is
 * lost shows in few runs: in a race, after a crash, or in the hundredth campaign. So a change of one is a change here.
 */
import type { INode } from 'n8n-workflow';

import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';

interface Parameters {
  operation?: string;
  matchType?: string;
  filters?: { conditions?: { keyName?: string; condition?: string; keyValue?: string }[] };
  columns?: { value?: object | null };
}

const SIGNS: Record<string, string> = {
  ...{ eq: '=', neq: '≠', lt: '<', lte: '≤', gt: '>', gte: '≥' },
  ...{ isEmpty: ' is empty', isNotEmpty: ' is filled' },
};

/** The value if it is fixed, and the lengths of time in it, or that it is the moment itself. */
function valueIn(value: string): string {
  if (!value.startsWith('=')) return `'${value}'`;
  const times = value.match(/\$now(?!\.minus)|(?<=\{ )(days|hours|minutes): \d+(?= \})/g) ?? [];
  return times.map((time) => ` ${time}`).join('');
}

/** What a node asks of rows, and what it does to them. Empty for a look by one column, and for an upsert. */
function ruleOf({ name, type, parameters }: INode): string {
  const { operation = '', matchType, filters, columns } = parameters as Parameters;
  const conditions = filters?.conditions ?? [];
  const isChange = operation === 'update' || operation === 'deleteRows';
  if (!type.endsWith('.dataTable') || operation === 'upsert') return '';
  if (!isChange && conditions.length < 2) return '';
  const asked = conditions.map(({ keyName = 'id', condition = 'eq', keyValue = '' }) => {
    const sign = condition.startsWith('=') ? '…' : (SIGNS[condition] ?? ` ${condition} `);
    const value = sign.startsWith(' is') ? '' : valueIn(keyValue);
    return `${keyName.startsWith('=') ? '…' : keyName}${sign}${value}`.trimEnd();
  });
  const does = operation === 'deleteRows' ? 'gone' : Object.keys(columns?.value ?? {}).join(' ');
  const different = new Set(asked).size === 1 ? asked.slice(0, 1) : asked;
  const all = different.join(matchType === 'anyCondition' ? ' or ' : ', ');
  return `${name}: ${all}${isChange ? ` → ${does}` : ''}`;
}

const rulesOf = (file: string) =>
  readDesk(file)
    .nodes.map(ruleOf)
    .filter((rule) => rule !== '')
    .sort();

const RULES: Record<string, string[]> = {
  'ask-and-wait': [
    'Close its question: resume_url= → resume_url',
    "Find the open question: phone_number=, answer='', resume_url is filled",
    "Find the question of its SMS: phone_number=, answer='', resume_url is filled, …=",
    'Forget old questions: asked< days: 90 → gone',
    'Forget the question: execution= → gone',
    "Get the answers not taken: answer is filled, answer≠'(a newer question)', resume_url is filled",
    'Has the outbox taken it?: phone_number=, phone_data=',
    'Leave out those with a known batch: phone_number=, batch_id=',
    "Leave out what has arrived: …=, status='DELIVRD', phone_number=, …=",
    'Remember the batch of the SMS: id= → batch_id',
    "Replace older questions: phone_number=, id<, answer='' → answer",
    "Store the answer or failure: id=, answer='', resume_url is filled → answer reply",
    'Take the answer: id=, resume_url is filled → resume_url',
  ],
  campaign: [
    "Campaigns: state='running' or state='draft' or state='incomplete' or state='paused' → portion_size keep_balance ticked_at",
    "Choose the campaign: campaign=, state='running' → served_at",
    "Claim the portion: campaign=, status='pending', changed< minutes: 1, id≤ → status portion changed sent_at",
    "First row of each: campaign=, status='pending', changed< minutes: 1",
    "Give up rows under way: status='sending', changed< → status reason changed",
    "Is nothing left?: campaign=, status='pending'",
    "Mark it as done: id=, state='running', served_at=, loaded_at< minutes: 2 → state",
    "Next portion: campaign=, status='pending', changed< minutes: 1",
    'Resends: recipient≥, recipient≤',
    'Rows of the reports: id≥, id≤',
    'Set the pause: id=, tries= → tries until cause',
    "Settle by reports: id≥, id≤, status≠'delivered', status≠'failed', status≠'opted_out', sent_at is filled → status batch_id reason changed",
    "Settle the portion: portion=, status='sending', id≥, id≤ → status batch_id reason changed",
  ],
  'campaign-buttons': [
    "Campaign of the rows: id=, state≠'stopped'",
    "Campaign of the unknown: id=, state≠'stopped'",
    'Change the state: id=, state=, loaded_at… → state until',
    "Has the campaign read it?: name='SMS · Campaign: send', read_to≥",
    "Its first recipient: campaign=, status='pending'",
    "Make the refused pending: campaign=, status='refused', batch_id is empty → status portion reason",
    "Make the rejected pending: campaign=, status='rejected', batch_id is empty → status portion reason",
    "Messages of the outbox: key like, status≠'refused', status≠'rejected', status≠'unknown'",
    'Remove its rows: campaign=, sent_at is empty → gone',
    "Remove the campaign: id=, state='stopped' → gone",
    "Run it again: id=, state='done' → state until",
    "Settle or make pending: campaign=, status='unknown', batch_id is empty, changed≤, id≥, id≤ → status batch_id portion reason changed",
    "Unknown rows: campaign=, status='unknown', batch_id is empty, changed≤",
    'Use the token: token=, page=, createdAt≥ days: 1 → gone',
  ],
  'campaign-load': [
    'Forget the segments: campaign=, segments is filled → segments blank',
    'It is loaded: token=, page= → gone',
    'Note that its rows are in: id= → loaded_at duplicates',
    'Remove the duplicates: campaign=, sent_at is empty, id≥, id≤ → gone',
    'Set the state: id=, state… → state missing template_id template content signature_id signature figures',
    "Signatures to choose: what='signature', asked> minutes: 15",
    "Templates to choose: what='template', asked> minutes: 15",
  ],
  'campaign-page': [
    "Balance: what='balance', asked> minutes: 15",
    'Counts, or changed rows: campaign=, updatedAt>',
    'Lists being loaded: page=, createdAt≥ minutes: 10',
    'Recipients: id≥, id≤, campaign=',
    'Rows of the file: campaign=, status=',
    "Samples: campaign=, status='pending', id≥",
    'Store the figures: id= → figures',
    "Templates: what='template', asked> minutes: 15",
  ],
  conversations: [
    "Later messages: phone_number=, status≠'refused', status≠'rejected'",
    'Messages sent: id<, phone_number…',
    'Replies and reports: id<, phone_number…, event…',
    "Signatures: what='signature', asked> minutes: 15",
    "Templates: what='template', asked> minutes: 15",
    'Token of the form: token=, page=, createdAt> days: 1',
    'Use up the tokens of the conversation: page= → gone',
  ],
  dashboard: [
    "Balance: what='balance', asked> minutes: 15",
    "Does the service answer?: what='balance', asked> minutes: 15",
    'Inbox records: id>, …≥, …≤, createdAt≤',
    'Messages: id>, …≥, …≤, createdAt≤',
    "Not sent lately: status≠'accepted', sent_at≥ days: 1",
    "Not sent yet: status='claimed' or status='waiting'",
  ],
  inbox: [
    "Anything pushed lately?: id>, run like 'push-%'",
    "Later replies of the number: id>, phone_number=, event='reply', time>",
    'Page stored already?: id>, run like',
    'Rows of these times: id>, id≤, time≥, time≤',
    'Take off the opt-out list: phone_number=, since≤ → gone',
  ],
  'inbox-serve': [
    'Claim: id=, free_at≤ $now → free_at since',
    'Move the cursor: id=, free_at= → read_to free_at since reason',
    'Note why not: id=, free_at= → reason free_at',
  ],
  outbox: [
    "Claim what waits: status='waiting', sent_at≤ $now, id≤ → status sent_at",
    'Counted days ago: day< days: 5, outbox_id is filled',
    "Give up what was interrupted: status='claimed', sent_at< minutes: 10 → status reason",
    'Sent today: createdAt≥ $now, id≤ $now',
    'Settle the rows: id≥, id≤ → status reason batch_id sent_at',
    'Who has the keys: key=',
    'Who stands before: ……, ……, ……, id>, id<',
    "Whose hour has come: status='waiting', sent_at≤ $now",
    'Whose keys start so: key like, id≤',
  ],
  upkeep: [
    'Delete old resends: createdAt< → gone',
    "Delete old rows: id<, createdAt<, status≠'pending', status≠'sending', status≠'waiting' → gone",
    "Delete old tokens: createdAt< days: 1, page like 'sms-%' → gone",
    'New rows: id>, createdAt<',
    "Oldest row that may go: status≠'pending', status≠'sending', status≠'waiting'",
  ],
  watchdog: [
    "Get the sends that need a report: sent_at≥, sent_at≤, status='accepted'",
    "Get what was not sent: status≠'accepted', sent_at≥ days: 1",
    "Keep those without a report: event='deliveryReport', batch_id=, phone_number=",
  ],
};

test.each(deskNames())('%s looks at its rows, and changes them, only so', (file) => {
  expect(rulesOf(file)).toEqual(RULES[file] ?? []);
});

/** Who fails goes on, or has an output for its errors: all others end their execution. */
const FAILURES: Record<string, { goesOn?: string; hasErrorOutput?: string }> = {
  'ask-and-wait': {
    goesOn: 'Remember the batch of the SMS; Replace older questions; What became of its SMS',
    hasErrorOutput: 'Send through the outbox; Wake the execution',
  },
  'campaign-buttons': { goesOn: 'Send through the outbox' },
  'campaign-load': {
    goesOn: 'Count its rows; Signatures to choose; Take the file; Templates to choose',
  },
  'campaign-page': {
    goesOn: 'Balance; Figures of today; Opt-outs; Rules; Store the figures; Templates; Thresholds',
  },
  campaign: { goesOn: 'Send through the outbox' },
  conversations: {
    goesOn:
      'Known templates; Later messages; Message of the conversation; Message with this key; Messages sent; Opened message; Opt-outs; Replies and reports; Signatures; Templates; Thresholds; Token of the form',
    hasErrorOutput: 'Outbox',
  },
  dashboard: {
    goesOn:
      'Balance; Does the inbox answer?; Does the service answer?; Figures by day; Inbox records; Inbox, not counted yet; Latest figures by day; Messages; Messages to the number; Names of templates; Newest record; Not sent lately; Not sent yet; Only what is counted; Opt-outs; Outbox, not counted yet; Records of the number; Rules; Sizes from the upkeep; The row of the address; Thresholds; Thresholds of the status; Who has opted out; Who has subscribed',
  },
  'inbox-serve': { hasErrorOutput: 'Hand over; Rows to hand over' },
  outbox: {
    goesOn: 'Counted days ago; Get what is missing; Known templates; Settle the rows',
    hasErrorOutput: 'Send a text; Send by template',
  },
  service: { goesOn: 'All signatures; All templates; Balance' },
  upkeep: {
    goesOn:
      'Delete old resends; Delete old tokens; First row that is waited for; New rows; Newest rows; Note that it is asked; Oldest row; Oldest row that may go; Signature; Store the names; Template',
  },
  watchdog: {
    goesOn:
      'Get the latest record of the inbox; Get the sends that need a report; Get the subscribers; Get what was not sent; Keep those without a report; Send through the outbox; Sizes from the upkeep; Thresholds',
  },
};

test.each(deskNames())('of %s, only these go on when they fail', (file) => {
  const { nodes } = readDesk(file);
  const withOutput = (output: string) =>
    nodes
      .filter(({ onError }) => onError === output)
      .map(({ name }) => name)
      .sort()
      .join('; ');
  const { goesOn = '', hasErrorOutput = '' } = FAILURES[file] ?? {};
  expect(withOutput('continueRegularOutput')).toBe(goesOn);
  expect(withOutput('continueErrorOutput')).toBe(hasErrorOutput);
});

test.each(deskNames())('%s waits for nobody for ever: its executions hold lists', (file) => {
  const waits = readDesk(file).nodes.filter(
    ({ type, parameters }) =>
      type.endsWith('.form') || (type.endsWith('.wait') && parameters.resume !== undefined),
  );
  for (const { name, parameters } of waits)
    expect([name, parameters.limitWaitTime]).toEqual([name, true]);
});
