/** The templates that answer replies: by keyword, and by an agent. All words of opt-outs are in optOuts.test.ts. */
import fc from 'fast-check';
import type { GenericValue, IDataObject } from 'n8n-workflow';

import { decide } from '../../examples/src/reply-keyword/decision';
import { settings, type Made } from '../kit/search/settings';
import { ADDRESS, has, OWN, PHONE, reply, type TryOut, useTemplate } from './run';

const CALLED = 'From another workflow';
const OTHER = '13810000012';
const QUESTION = '您预约的时间是明天9点。确认请回复1，取消请回复2。';

/** So many minutes ago, as the service says it, and as the trigger does. */
const ago = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
const iso = (minutes: number) => new Date(ago(minutes) * 1000).toISOString();

/** An answer to the question, as the service gives it. */
const answer = (phone: string, content: string, minutes = 1) => ({
  ...reply(phone, content),
  ...{ sms_content: QUESTION, time: ago(minutes) },
});

/** The same, as the trigger hands it over. */
const record = (content: GenericValue, more: IDataObject = {}): IDataObject => ({
  ...{ event: 'reply', phone_number: PHONE, content, time: ago(1), time_iso: iso(1) },
  ...{ sms_content: QUESTION, page_id: 'page', ...more },
});

const listed = ({ n8n }: TryOut) =>
  (n8n.tables.get('sms_opt_outs') ?? []).map(({ phone_number }) => phone_number);

/** What nobody has to do anything about: only the agent's template tells it. */
const IS_NEWS = /The agent has answered|It was answered before/;

const toDo = ({ n8n }: TryOut) => n8n.mails.filter((mail) => !IS_NEWS.test(mail));

/** Who is answered, what a person is told, and who is listed. */
interface Outcome {
  answered?: string[];
  told?: RegExp[];
  listed?: string[];
  /** Rows that the owner has typed into the list. */
  list?: string[];
}

/** The records of each execution. */
type Case = [what: string, pages: IDataObject[][], outcome: Outcome];

/** @param ask a reply that the template answers */
function testBoth(template: TryOut, ask: string): void {
  const { n8n, gateway, come, run, poll } = template;
  const one = record(ask);
  const other = record(ask, { phone_number: OTHER });
  const stop = record('TD');
  const spared = new RegExp(`^SMS from ${PHONE}\n${ask.replace('?', '.')}\n(.|\n)*opt`);
  const at = (minutes: number) => ({ ...one, time_iso: iso(minutes) });

  test.each<Case>([
    [
      'a page comes again, and each of its records alone',
      [
        ...[1, 2].map(() => [one, other]),
        ...[[{ ...one, page_id: 'page/1' }], [{ ...other, page_id: 'page/2' }]],
      ],
      { answered: [PHONE, OTHER] },
    ],
    [
      'an opt-out behind it, whatever its age, and again',
      [
        [one, { ...stop, time_iso: iso(6000) }, other],
        [one, stop],
      ],
      { listed: [PHONE], answered: [OTHER], told: [spared, spared] },
    ],
    // F6
    [
      'what may be an opt-out is listed until a person has decided',
      [[record('TD 张三'), one]],
      { listed: [PHONE], told: [/delete the row/, spared] },
    ],
    [
      'a complaint does not hide the opt-out before it',
      [[stop], [record('投诉')]],
      { listed: [PHONE, PHONE], told: [/delete the row/] },
    ],
    ...['+86 138-1000 0010', '１３８１０００００１０', '13810000010；13800138000'].map(
      (typed): Case => [
        `the owner has typed ${typed} into the list`,
        [[one]],
        { list: [typed], listed: [typed], told: [spared] },
      ],
    ),
    ...['+85261234567', '852 6123 4567', '００852-6123-4567'].flatMap((typed) =>
      ['+85261234567', '852 6123 4567', '８５２ ６１２３ ４５６７'].map((phone_number): Case => {
        const told = [/^SMS from .*\n(.|\n)*opt/];
        const page = [{ ...one, phone_number }];
        const what = `${typed} is on the list, and ${phone_number} replies`;
        return [what, [page], { list: [typed], listed: [typed], told }];
      }),
    ),
    [
      'no digit is on no list',
      [[{ ...one, phone_number: 'unknown' }]],
      { list: ['', OTHER], listed: ['', OTHER], told: [/not confirmed \(rejected\)/] },
    ],
    ['somebody else is on it', [[one]], { list: [OTHER], listed: [OTHER], answered: [PHONE] }],
    ['50 minutes old', [[at(50)]], { answered: [PHONE] }],
    ...[iso(61), iso(-120), null, 'soon'].map((time_iso): Case => [
      `too old, or no time: ${time_iso}`,
      [[{ ...one, time_iso }]],
      { told: [/older than an hour/] },
    ]),
    ['no text', [[record('')]], { told: [/^SMS from 13810000010\n/] }],
    [
      'no number: nobody can be answered or listed',
      [[{ event: 'reply', content: 'TD' }], [{ event: 'reply', content: ask }]],
      { told: [/^SMS from \nTD\n/, new RegExp(`^SMS from \n${ask.slice(0, 5)}`)] },
    ],
    [
      'a number with 86, hyphens or wide digits',
      [
        [{ ...stop, phone_number: '86 138-1000-0010' }],
        [{ ...stop, phone_number: '＋８６１３８１０００００１１' }],
        [one, { ...other, phone_number: `+86 ${OTHER}` }],
      ],
      { listed: [PHONE, '13810000011'], answered: [OTHER], told: [spared] },
    ],
    [
      'a number in a longer one is nobody’s',
      [[{ ...one, phone_number: '20138100000103' }, one]],
      { answered: [PHONE], told: [/not confirmed \(rejected\)/] },
    ],
    ['an unreadable answer', [[{ event: 'unreadable', answer: '<html>' }]], { told: [/<html>/] }],
    ['a report', [[{ event: 'deliveryReport', status: 'UNDELIV' }]], { told: [/UNDELIV/] }],
  ])('%s', async (_, pages, { answered = [], told = [], listed: numbers = [], list = [] }) => {
    const rows = list.map((phone_number, id) => ({ id, phone_number, word: '', since: '' }));
    n8n.tables.set('sms_opt_outs', rows);
    for (const page of pages) await run(CALLED, ...page);
    expect([...gateway.deliveries()]).toEqual(answered.map((phone) => [phone, 1]));
    // In any order.
    expect(toDo(template)).toHaveLength(told.length);
    expect(toDo(template)).toEqual(expect.arrayContaining(told.map(has)));
    expect(listed(template)).toEqual(numbers);
  });

  // F5
  test('while no mail goes, and no database takes a zero byte, all opt-outs are on the list', async () => {
    n8n.refuseMails(9);
    const page = [ask, '几点？', 'TD\0', '投诉'].map((content, index) =>
      record(content, { phone_number: `1381000001${index}` }),
    );
    await run(CALLED, ...page).catch(() => undefined);
    expect(listed(template).sort()).toEqual(['13810000012', '13810000013']);
  });

  test('a machine that answers without end gets five a day, then a person is told', async () => {
    for (let minutes = 9; minutes > 0; minutes--) await come(answer(PHONE, ask, minutes));
    await come(answer(OTHER, ask));
    expect([...gateway.deliveries().values()]).toEqual([5, 1]);
    const over = /not confirmed \(rejected\): .*had 5 today/;
    expect(toDo(template)).toEqual([has(over), has(over), has(over), has(over)]);
  });

  test.each<[Parameters<typeof gateway.fault>[0], RegExp]>([
    [{ kind: 'businessCode', code: 15, msg: '余额不足' }, /not confirmed \(rejected\): .*余额不足/],
    [{ kind: 'status', status: 502, accept: true }, /^(?!.*not sent).*not confirmed \(unknown\)/s],
  ])('the service answers with %j: a person is told, once', async (fault, told) => {
    gateway.fault({ ...fault, path: '/sendsms/template/send' });
    await run(CALLED, one);
    expect(toDo(template)).toEqual([has(told)]);
    const before = gateway.deliveries().get(PHONE) ?? 0;
    await run(CALLED, { ...one, page_id: 'page/1' });
    expect(toDo(template)).toHaveLength(1);
    expect(gateway.deliveries().get(PHONE)).toBe(Math.max(before, 1));
  });

  test('the mail server is away: the replies come again, each alone, until the person has been told', async () => {
    n8n.refuseMails(1);
    const phones = ['13810000011', PHONE, OTHER] as const;
    const contents = ['TD', ask, '几点？'] as const;
    gateway.queueReplies(phones.map((phone, index) => answer(phone, contents[index] ?? '')));
    const executions = await poll('New replies', 2);
    expect(executions.map(({ error }) => error !== undefined)).toEqual([true, false, false, false]);
    expect(toDo(template)).toEqual([has(/^SMS from 13810000012\n几点/)]);
    expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
    expect(listed(template)).toEqual(['13810000011']);
  });
}

describe('reply-keyword', () => {
  const template = useTemplate(
    'reply-keyword',
    { 'To a person': ADDRESS, Answer: OWN },
    '您的预约已${result}。',
  );
  const { n8n, run, come } = template;

  testBoth(template, '1');

  const one = record('1');
  const two = record('2');

  /** Keywords of one number, what it gets, and what a person is told. */
  test.each<[what: string, pages: IDataObject[][], results: string[], told?: RegExp[]]>([
    ['a number', [[record(2)]], ['取消']],
    [
      'a page comes again, each record alone',
      [[one, two], [{ ...one, page_id: 'page/1' }], [{ ...two, page_id: 'page/2' }]],
      ['取消'],
    ],
    [
      'answers to two questions',
      [
        [
          { ...one, sms_content: `A ${QUESTION}` },
          { ...two, sms_content: `B ${QUESTION}` },
        ],
      ],
      ['确认', '取消'],
    ],
    [
      'an answer to another SMS',
      [[one, { ...two, sms_content: '您的订单已发货。' }]],
      ['确认'],
      [/\n2\n(.|\n)*another SMS/],
    ],
  ])('%s', async (_, pages, results, told = []) => {
    for (const page of pages) await run(CALLED, ...page);
    expect(template.sentTo(PHONE)).toEqual(results.map((result) => ({ result })));
    expect(n8n.mails).toEqual(told.map(has));
  });

  // F4 and F9 at once.
  test('one mail is refused for good: the others are told once more at most, and nobody gets a second SMS', async () => {
    n8n.refuses = (mail) => mail.includes('refuse me');
    template.gateway.queueReplies([
      ...['1', '1', '2', '1'].map((content, index) => answer(PHONE, content, 9 - index)),
      answer(OTHER, 'refuse me'),
      answer('13810000013', '几点？'),
      answer('13810000014', 'TD'),
    ]);
    await template.poll('New replies', 4);
    expect(template.sentTo(PHONE)).toEqual([{ result: '确认' }]);
    expect(listed(template)).toEqual(['13810000014']);
    expect([1, 2]).toContain(n8n.mails.filter((mail) => mail.includes('几点？')).length);
  });

  test('an opt-out has the time of the reply, in the zone of the desk', async () => {
    await come(reply(PHONE, 'TD'));
    expect(n8n.tables.get('sms_opt_outs')).toMatchObject([
      { since: '2026-01-01T00:00:00.000Z', word: 'TD' },
    ]);
  });

  const any = fc.record({
    phone: fc.constantFrom('13810000010', '13810000011', '13810000012', ''),
    says: fc.constantFrom('', 'stop', 'doubt', 'confirm', 'confirm', 'cancel', 'cancel'),
    minutes: fc.constantFrom(undefined, 0, 5, 5, 30, 59, 61),
    sms_content: fc.constantFrom(null, QUESTION, QUESTION, `A ${QUESTION}`, 'Shipped.'),
  });

  test('random executions: the first row of the table in decision.ts that fits', () => {
    const NOW = Date.parse('2026-06-03T12:00:00Z');
    const play = (given: Made<typeof any>[], isListed: boolean) => {
      const replies = given.map(({ minutes, ...others }) => ({
        ...{ ...others, digits: others.phone || 'none', question: '确认请回复1' },
        time_iso:
          minutes === undefined ? undefined : new Date(NOW - minutes * 60_000).toISOString(),
      }));
      const counts = given.map(
        ({ says, minutes = 99, sms_content }) =>
          /con|can/.test(says) && minutes < 60 && !!sms_content?.endsWith(QUESTION),
      );
      const expected = given.map(({ phone, says, minutes = 99, sms_content }, index) => {
        const own = (each: { phone: string }) => each.phone === phone;
        if (phone && /stop|doubt/.test(says)) return says;
        const isSpared =
          (isListed && phone === '13810000012') ||
          given.some((each) => own(each) && /stop|doubt/.test(each.says));
        if (!phone || isSpared || !counts[index]) return 'person';
        const isLater = given.some((each, at) => {
          const ahead = minutes - (each.minutes ?? 99);
          const isOfIt = own(each) && each.sms_content === sms_content;
          return isOfIt && counts[at] && (ahead > 0 || (ahead === 0 && at > index));
        });
        return isLater ? 'nothing' : says;
      });
      const list = isListed ? ['+86 138 1000 0012'] : [];
      const done = replies.map((_, index) => decide(replies, index, list, NOW));
      expect(done.map(({ does }) => does)).toEqual(expected);
      // What a person is told says why.
      for (const { does, why } of done) expect(Boolean(why)).toBe(/person|doubt/.test(does));
    };
    const executions = fc.array(any, { minLength: 1, maxLength: 6 });
    fc.assert(fc.property(executions, fc.boolean(), play), settings(3_000));
  });
});

describe('agent-replies', () => {
  const template = useTemplate(
    'agent-replies',
    { 'Send the answer': OWN, 'Tell the person': ADDRESS },
    '${answer}',
  );
  const { n8n, run, come } = template;
  const ASK = 'When are you open?';
  const HOURS = 'From 9 to 18.';

  // A model may say more than the one word.
  beforeEach(() => (n8n.agent = (text) => (text.includes('open') ? HOURS : 'PERSON.')));

  testBoth(template, ASK);

  test('the agent answers, and knows what the reply is to', async () => {
    const asked: string[] = [];
    n8n.agent = (text) => (asked.push(text), HOURS);
    await come(answer(PHONE, ASK));
    expect(asked).toEqual([`We wrote: ${QUESTION}\nThe customer answers: ${ASK}`]);
    expect(template.sentTo(PHONE)).toEqual([{ answer: HOURS }]);
    expect(n8n.mails).toEqual([`SMS from ${PHONE}\n${ASK}\n\nThe agent has answered: ${HOURS}`]);
  });

  test.each([
    ...['人工', '转人工客服', 'I want a person, are you open?', 'Are you human?'].map((content) => [
      content,
      'It asks for a person, is older than an hour, or is nothing for the agent.',
    ]),
    ['ｔｄ', ''],
  ])('the agent is not even asked: %s', async (content, why) => {
    n8n.agent = () => HOURS;
    await come(answer(PHONE, content));
    expect(template.sentTo(PHONE)).toEqual([]);
    expect(n8n.mails).toEqual(why ? [`SMS from ${PHONE}\n${content}\n\n${why}`] : []);
  });

  test('who opts out while the agent thinks gets no answer', async () => {
    n8n.agent = () => (n8n.tables.set('sms_opt_outs', [{ id: 1, phone_number: PHONE }]), HOURS);
    await come(answer(PHONE, ASK));
    expect(template.sentTo(PHONE)).toEqual([]);
    expect(n8n.mails).toEqual([has(/Has opted out before. No SMS was sent/)]);
  });

  test('two questions in one second are both answered, and not again', async () => {
    const page = [ASK, 'Are you open?'].map((content) => record(content, { time: 1 }));
    for (const told of [/has answered/, /answered before, or may have been/]) {
      await run(CALLED, ...page);
      expect(template.sentTo(PHONE)).toHaveLength(2);
      expect(n8n.mails.splice(0)).toEqual([has(told), has(told)]);
    }
  });

  const away = () => {
    throw new Error('The model is overloaded');
  };
  const SAID = [
    ...['', HOURS.repeat(20), 'Person', 'person.', '"Person"', ' ', '人工', '转人工。', { a: 1 }],
    'PERSON.',
  ];

  test.each<[why: RegExp, agent: (text: string) => unknown]>([
    [/\n\nThe model has not answered\. The model is overloaded$/, away],
    ...SAID.map((said): [RegExp, () => unknown] => [
      /\n\n(No SMS was sent. The agent says|The model has not answered)/,
      () => said,
    ]),
  ])(
    'no answer, %p (%#): a person, and the others of the page are answered',
    async (why, agent) => {
      n8n.agent = (text) => (text.includes('在吗') ? (agent(text) as string) : HOURS);
      await run(CALLED, record('在吗'), record(ASK, { phone_number: OTHER }));
      expect([...template.gateway.deliveries()]).toEqual([[OTHER, 1]]);
      expect(toDo(template)).toEqual([has(/^SMS from 13810000010\n在吗\n/)]);
      expect(toDo(template)[0]).toMatch(why);
    },
  );
});
