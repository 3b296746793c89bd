/** The trials. Each asks in one way, and says what it has measured. */
import { setTimeout } from 'node:timers/promises';

import { LONG_ENOUGH_MS, SEND, until, type Customer, type House, type Way } from './house';

/** What a trial has found: whether it holds, and what was measured. */
export interface Finding {
  holds: boolean;
  measured: string;
}

export interface Trial {
  name: string;
  run(house: House, way: Way): Promise<Finding>;
}

/** Replies, and says what comes of the question within a time that is long enough. */
async function replied(house: House, way: Way, to: Customer, content = '1'): Promise<string> {
  await way.handOver([house.reply(to.phone, content)]).catch(() => undefined);
  return await house.outcome(to.question);
}

function counted(house: House, { phone }: Customer): string {
  return `${house.messages(phone)} SMS`;
}

/** Interrupts n8n while an execution waits, and replies then. */
function interrupted(how: 'stop' | 'kill'): Trial['run'] {
  return async (house, way) => {
    const asked = house.customer(`${how} ${way.name}`);
    await way.ask(asked);
    await house.waits(way, asked.question);
    await house.restart(how);
    const result = await replied(house, way, asked);
    const holds = result === 'answered 1' && house.messages(asked.phone) === 1;
    return { holds, measured: `${counted(house, asked)}, ${result}` };
  };
}

/** Kills n8n at the send. Then a reply comes, and the caller asks again with the same key. */
function killedAtSend(isAccepted: boolean): Trial['run'] {
  return async (house, way) => {
    const what = `killed ${isAccepted ? 'behind' : 'before'} ${way.name}`;
    const asked = house.customer(what);
    const killed = house.killAtSend(asked.phone, isAccepted);
    await way.ask(asked);
    await killed;
    await house.restart('kill');
    await until(
      'n8n knows of the crash',
      async () => (await house.status(way, what)) !== 'running',
    );
    const status = await house.status(way, what);
    const first = counted(house, asked);
    const result = await replied(house, way, asked);
    const open = (await house.rows(way, what)).filter(({ resume_url }) => resume_url !== '').length;
    await way.ask(asked);
    const again = await house.outcome(what, result === 'nothing' ? 1 : 2);
    const measured = [
      `execution ${status}, ${first}, reply: ${result}, ${open} row open`,
      `asked again with the key: ${counted(house, asked)}, ${again}`,
    ].join('; ');
    const holds = result === 'answered 1' || !isAccepted;
    return { holds: holds && house.messages(asked.phone) <= 1, measured };
  };
}

export const TRIALS: Trial[] = [
  {
    name: 'A reply comes while the execution waits',
    async run(house, way) {
      const asked = house.customer(`happy ${way.name}`);
      await way.ask(asked);
      await house.waits(way, asked.question);
      const result = await replied(house, way, asked);
      const holds = result === 'answered 1' && house.messages(asked.phone) === 1;
      return { holds, measured: `${counted(house, asked)}, ${result}` };
    },
  },
  {
    name: 'A reply comes before the execution waits',
    async run(house, way) {
      const asked = house.customer(`early ${way.name}`);
      house.gateway.fault({ kind: 'slow', path: SEND, delayMs: 6_000 });
      await way.ask(asked);
      await until('the SMS has arrived', () => house.messages(asked.phone) === 1);
      const result = await replied(house, way, asked, '2');
      return { holds: result === 'answered 2', measured: `${counted(house, asked)}, ${result}` };
    },
  },
  {
    name: 'Two questions to a number, a reply without a batch',
    async run(house, way) {
      const one = house.customer(`older ${way.name}`, { seconds: 30 });
      const other = { ...one, question: `newer ${way.name}` };
      await way.ask(one);
      await house.waits(way, one.question);
      await way.ask(other);
      await house.waits(way, other.question);
      await way.handOver([house.reply(one.phone, '1')]);
      const newer = await house.outcome(other.question);
      const older = await house.outcome(one.question);
      const holds = newer === 'answered 1' && !older.startsWith('answered');
      return { holds, measured: `newer: ${newer}, older: ${older}` };
    },
  },
  {
    name: 'The second question is under way, a reply to the first with its batch',
    async run(house, way) {
      const one = house.customer(`first ${way.name}`);
      const other = { ...one, question: `second ${way.name}` };
      await way.ask(one);
      await house.waits(way, one.question);
      const [row] = await house.rows(way, one.question);
      house.gateway.fault({ kind: 'slow', path: SEND, delayMs: 6_000 });
      await way.ask(other);
      await until('two SMS have arrived', () => house.messages(one.phone) === 2);
      await way.handOver([house.reply(one.phone, '1', String(row?.batch_id))]);
      const first = await house.outcome(one.question);
      const second = await house.outcome(other.question);
      return { holds: first === 'answered 1', measured: `first: ${first}, second: ${second}` };
    },
  },
  {
    name: 'No reply in time, and one afterwards',
    async run(house, way) {
      const asked = house.customer(`late ${way.name}`, { seconds: 5 });
      await way.ask(asked);
      await until(
        'the time is over',
        async () => (await house.outcomes(asked.question)).length > 0,
      );
      await way.handOver([house.reply(asked.phone, '1')]).catch(() => undefined);
      const result = await house.outcome(asked.question, 2);
      const row = (await house.rows(way, asked.question)).at(-1);
      const answer = `the row says "${String(row?.answer ?? '')}"`;
      const holds = result === 'silent + nothing';
      return { holds, measured: `${counted(house, asked)}, ${result}, ${answer}` };
    },
  },
  {
    name: 'Two customers in one call',
    async run(house, way) {
      const asked = [
        house.customer(`one of two ${way.name}`),
        house.customer(`two of two ${way.name}`),
      ];
      await way.ask(...asked);
      await Promise.race([
        Promise.all(asked.map(({ question }) => house.waits(way, question))).catch(() => undefined),
        setTimeout(LONG_ENOUGH_MS),
      ]);
      const replies = asked.map(({ phone }) => house.reply(phone, '1'));
      await way.handOver(replies);
      const results = [];
      for (const { question } of asked) results.push(await house.outcome(question));
      const messages = asked.map((each) => counted(house, each)).join(' and ');
      const holds = results.every((result) => result === 'answered 1');
      return { holds, measured: `${messages}, ${results.join(' and ')}` };
    },
  },
  { name: 'Restart while the execution waits', run: interrupted('stop') },
  { name: 'kill -9 while the execution waits', run: interrupted('kill') },
  { name: 'kill -9 between the registration and the send', run: killedAtSend(false) },
  { name: 'kill -9 between the send and the wait', run: killedAtSend(true) },
  {
    name: 'n8n without getSignedResumeUrl',
    async run(house, way) {
      await house.restart('stop', { TRIAL_WITHOUT_SIGNED_URL: 'true' });
      const asked = house.customer(`old ${way.name}`);
      await way.ask(asked);
      await Promise.race([
        house.waits(way, asked.question).catch(() => undefined),
        setTimeout(LONG_ENOUGH_MS),
      ]);
      const result = await replied(house, way, asked);
      await house.restart('stop');
      return { holds: result === 'answered 1', measured: `${counted(house, asked)}, ${result}` };
    },
  },
];
