/** The page of conversations: who waits for an answer, what is shown, and what is escaped. */
import { why } from '../src/common/messages/reasons';
import whatWasSent from '../src/conversations/what-was-sent';
import { codeSees } from '../../test/kit/workflows/codeNode';
import { ago, runDesk, type Row, type World } from './workflow';

const PHONE = '13810002001';
const ATTACK = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';

let ids = 0;
beforeEach(() => {
  ids = 0;
});
function row(fields: object): Row {
  ids += 1;
  return { id: ids, createdAt: ago(600 - ids), phone_number: PHONE, batch_id: '', ...fields };
}
const SENT = { class: 'notice', status: 'accepted', reason: '', text: 'Hello', sent_at: ago(60) };
const send = (fields: object = {}) => row({ ...SENT, ...fields });
const reply = (fields: object = {}) =>
  row({ event: 'reply', content: 'Yes?', time: ago(30), ...fields });
const report = (fields: object = {}) =>
  row({ event: 'deliveryReport', status: 'DELIVRD', status_desc: '', time: ago(59), ...fields });

/** Opens the page with these rows in the tables. */
async function open(query: object, tables: World['tables'] = {}, error = '') {
  const said = (what: string, record: object) => ({
    ...{ what, asked: ago(2), answered: ago(7), records: JSON.stringify([record]), error },
  });
  const template = { id: 302, name: ATTACK, content: `\${name}${ATTACK}`, status: true };
  const service = [
    said('template', { ...template, sign_id: 201 }),
    said('signature', { id: 202, name: ATTACK }),
  ];
  const given = { Token: [{ token: 'f'.repeat(32) }] };
  const world = { tables: { 'sms.service': service, ...tables }, given };
  const nodes = await runDesk('conversations', 'Page is opened', { query }, world);
  const [page] = nodes.Page ?? [];
  return { location: page?.location, html: String(page?.html) };
}

describe('who waits for an answer', () => {
  const WAITS = '<span class="mark yellow">Needs a reply</span>';
  const answered = (fields: object = {}) => ({
    'sms.outbox': [send({ sent_at: ago(20), ...fields })],
  });
  const waiting = { status: 'waiting', sent_at: ago(-99), createdAt: ago(9) };
  const others = Array.from({ length: 51 }, (_, id) => send({ id: id + 2, phone_number: '1' }));
  const said = (says: string, minutes: number) => reply({ says, time: ago(minutes) });

  test.each([
    ['nothing was sent', {}, true],
    ['it was answered', answered(), false],
    ['the message was before the reply', answered({ sent_at: ago(60) }), true],
    ['the answer waits for its hour', answered(waiting), false],
    ['the answer was refused', answered({ status: 'refused' }), true],
    ['the answer has arrived', answered({ report: 'DELIVRD' }), false],
    ['the answer has not arrived', answered({ report: 'UNDELIV' }), true],
    [
      'the answer is older than what was read',
      { 'sms.outbox': [send({ id: 1, sent_at: ago(20) }), ...others] },
      false,
    ],
    ['a campaign went', answered({ class: 'marketing' }), true],
    ['a verification code went', answered({ class: 'code' }), true],
    ['the customer is on the opt-out list', { 'sms.opt_outs': [{ phone_number: PHONE }] }, true],
    ['the last word was a stop word', { 'sms.inbox': [reply(), said('stop', 20)] }, false],
    ['the last word was a start word', { 'sms.inbox': [reply(), said('start', 20)] }, false],
    ['the last word only mentions one', { 'sms.inbox': [reply(), said('doubt', 20)] }, true],
    ['a stop word came before', { 'sms.inbox': [said('stop', 40), reply()] }, true],
    ['a stop word was sent before', { 'sms.inbox': [reply(), said('stop', 40)] }, true],
    ['it was long ago', { 'sms.inbox': [reply({ createdAt: ago(31 * 1440) })] }, false],
  ])('%s', async (_, tables, waits) => {
    const { html } = await open({}, { 'sms.inbox': [reply()], ...tables });
    expect(html.includes(WAITS)).toBe(waits);
  });

  test('those who have waited longest stand first, however many have written since', async () => {
    const question = [60, 3].map((minutes) =>
      reply({ content: '我的包裹丢了', time: ago(minutes) }),
    );
    const phones = Array.from({ length: 600 }, (_, index) => String(13800000000 + index));
    const thanks = phones.map((phone_number, index) =>
      reply({ phone_number, content: '谢谢', time: ago(50 - index / 100) }),
    );
    const tables = {
      'sms.inbox': [...thanks.toReversed(), ...question],
      'sms.outbox': [send({ phone_number: phones[0], sent_at: ago(1) })],
    };
    for (const query of [{}, { waits: '1' }]) {
      const { html } = await open(query, tables);
      expect(html).toContain('<a href="sms-conversations?waits=1"');
      expect(html).toContain('Needs a reply <b>600</b>');
      const list = html.slice(html.indexOf('class="threads"'));
      expect(list).toMatch(/^.*?<time>11:00<\/time>.*?我的包裹丢了/s);
      const shown = [...list.matchAll(/•••• (\d{4})/g)].map(([, last]) => last);
      expect(shown.slice(0, 4)).toEqual(['2001', '0001', '0002', '0003']);
      expect(html.includes('The 500 who have waited longest.')).toBe('waits' in query);
    }
    const link = '<a href="sms-conversations?lang=zh">全部</a>';
    expect((await open({ waits: '1', lang: 'zh' }, tables)).html).toContain(link);
  });
});

test('the list says how many of a day were not sent, and at whom', async () => {
  const outbox = [1439, 1441].map((minutes) => send({ status: 'rejected', sent_at: ago(minutes) }));
  const { html } = await open({}, { 'sms.outbox': outbox });
  expect(html).toMatch(/1 message of the last 24 hours was not sent.*<nav class="choice"/s);
  expect(html).toContain('<span class="mark red">Rejected by the service</span>');
  const sent = (await open({}, { 'sms.outbox': [send({ sent_at: ago(999) })] })).html;
  expect(sent).not.toMatch(/class="mark|not sent/);
});

test.each([
  ['+86 138-1000-2001', 'sms-conversations?row=o7#end', [send({ id: 7 })], []],
  [PHONE, 'sms-conversations?row=i8#end', [], [reply({ id: 8 })]],
  [PHONE, 'sms-conversations?digits=2001&bad=number', [], []],
  ['138100', 'sms-conversations?bad=search', [send()], []],
])('a search for %s leads to %s', async (digits, location, outbox, inbox) => {
  const found = await open({ digits }, { 'sms.outbox': outbox, 'sms.inbox': inbox });
  expect(found.location).toBe(location);
});

test.each([
  [{ status: 'claimed', sent_at: ago(1) }, 'Being sent'],
  [{ status: 'claimed', sent_at: ago(11) }, 'May have been sent'],
  [{ status: 'waiting', sent_at: ago(-60) }, 'Waits for its hour: 13:00'],
  [{ status: 'refused', reason: 'Enough.' }, 'Refused: Enough.'],
  [{ status: 'rejected', reason: 'Bad.' }, 'Rejected by the service: Bad.'],
  [{ status: 'unknown', reason: 'Cut.' }, 'May have been sent: Cut.'],
  [{ status: 'refused', ...why('opted_out') }, '已退订：客户已退订。', 'zh'],
  [{ status: 'rejected', reason: 'No money' }, '服务商拒绝：No money', 'zh'],
  [{ batch_id: 'b' }, 'Delivered: 11:01'],
  [{ batch_id: 'c' }, 'Not delivered: EXPIRED · off'],
  [{ batch_id: 'none' }, 'Accepted, no report yet'],
  [{ class: 'code', text: '1234' }, 'Verification code, text not stored'],
  [{ text: '', template: '9', parameters: '{"n":"Li"}', signature: '2' }, '【Shop】Dear Li'],
  [{ text: '', template: '8' }, 'Template 8, text not stored'],
] as [object, string, string?][])('a message %j is shown as %s', async (...row) => {
  const [fields, text, lang] = row;
  const inbox = [
    // Of several reports of a message, the newest counts.
    report({ batch_id: 'b', status: 'EXPIRED' }),
    report({ batch_id: 'b' }),
    report({ batch_id: 'c', status: 'EXPIRED', status_desc: 'off' }),
    reply(),
  ];
  const templates = [
    { id: 1, kind: 'template', record_id: '9', name: 'T', content: 'Dear ${n}' },
    { id: 2, kind: 'signature', record_id: '2', name: 'Shop', content: '' },
  ];
  const outbox = [send({ id: 1, ...fields })];
  const tables = { 'sms.outbox': outbox, 'sms.inbox': inbox, 'sms.templates': templates };
  const { html } = await open({ row: 'o1', lang }, tables);
  expect(html).toContain(text);
  expect(html).not.toContain('1234');
  // Its own reports are no lines.
  const { batch_id } = outbox[0] ?? {};
  const own = { b: 2, c: 1 }[String(batch_id)] ?? 0;
  expect(html.match(/Report without its message|未找到对应短信/g)?.length).toBe(3 - own);
});

test('every text of a stranger is escaped', async () => {
  const tables = {
    'sms.outbox': [send({ text: ATTACK, reason: ATTACK, status: 'refused', source: ATTACK })],
    'sms.inbox': [reply({ content: ATTACK }), report({ batch_id: 'x', status: ATTACK })],
    'sms.opt_outs': [{ id: 1, phone_number: PHONE, word: ATTACK, since: ago(1) }],
  };
  for (const query of [{}, { row: 'o1' }, { row: 'o1', reply: '1' }]) {
    const { html } = await open(query, tables);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<img|onerror="/);
  }
  const { html } = await open({ row: 'o1', reply: '1', template: '302' }, tables);
  expect(html).toContain('name="p0"');
  expect(html).not.toMatch(/<script|<img/);
});

/** What the parts of a page show, each behind the link to older ones. */
async function partsOf(first: object, tables: World['tables'], older: RegExp, shown: RegExp) {
  const seen: string[] = [];
  let query: object | undefined = first;
  for (let parts = 0; query; parts += 1) {
    expect(parts).toBeLessThan(9);
    const { html } = await open(query, tables);
    seen.push(...(html.match(shown) ?? []));
    const { groups }: { groups?: object } = older.exec(html) ?? {};
    query = groups && { ...first, ...groups };
  }
  return seen;
}

test('no message is lost between the parts of a long conversation', async () => {
  const outbox = Array.from({ length: 250 }, (_, n) =>
    send({ id: n + 1, text: `sent ${n}.`, sent_at: ago(5000 - n * 10) }),
  );
  const inbox = Array.from({ length: 450 }, (_, n) =>
    reply({ id: n + 1, content: `came ${n}.`, time: ago(4000 - n * 5) }),
  );
  const tables = { 'sms.outbox': outbox, 'sms.inbox': inbox };
  const older = /row=o1&amp;before=(?<before>\w+)">Older/;
  const seen = await partsOf({ row: 'o1' }, tables, older, /(sent|came) \d+\./g);
  expect([seen.length, new Set(seen).size]).toEqual([700, 700]);
});

test('no conversation is lost between the parts of the list', async () => {
  const phones = (start: number) =>
    Array.from({ length: 101 }, (_, n) => ({ phone_number: String(start + n) }));
  const outbox = phones(13810001000).map((each) => send(each));
  // Stop words: nobody of them waits.
  const inbox = phones(13810002000).map((each) => reply({ ...each, says: 'stop' }));
  const older = /o=(?<o>\d+)&amp;i=(?<i>\d+)[^"]*">Older/;
  const tables = { 'sms.outbox': outbox, 'sms.inbox': inbox };
  const seen = await partsOf({}, tables, older, /row=[oi]\d+[^"]*#end/g);
  expect([seen.length, new Set(seen).size]).toEqual([202, 202]);
});

test('the form of an answer is read as the page writes it', () => {
  const form = { row: 'o12', token: 'a'.repeat(32), template: '302', signature: '', lang: 'zh' };
  const body = { ...form, n0: 'name', p0: ' Li ', n1: '__proto__', p1: 'x', p2: 'no name' };
  const read = (body: object) => whatWasSent(codeSees({}, { body }));
  expect(read(body)).toMatchObject({ lang: 'zh', row: 'o12', token: form.token });
  expect(Object.entries(read(body).parameters)[0]).toEqual(['name', 'Li']);
  for (const token of ['', 'none', 'A'.repeat(32), ['a', 'b'], { a: 1 }]) {
    expect(read({ token }).token).toBe('');
  }
});

test.each([
  ['', '201'],
  ['202', '202'],
])('of the signature %j and 201 of the template, %s is sent', async (signature, sent) => {
  const query = { row: 'o1', reply: '1', template: '302', signature };
  // While the service does not answer, the box offers what it said before, and says so.
  const { html } = await open(query, { 'sms.outbox': [send()] }, 'No answer');
  expect(html).toContain(`name="signature" value="${sent}"`);
  expect(html).toContain('name="p0"');
  expect(html).toContain('The templates could not be read: No answer');
});

const USE_UP = 'Use up the tokens of the conversation';

/** An answer is sent. The outbox has taken these rows, and what nodes give is given. */
async function sendAnswer(form: object, taken: Row[] = [], given: World['given'] = {}) {
  const to = send();
  const tokens = ['f', 'e', 'd'].map((digit): Row => ({
    ...{ token: digit.repeat(32), createdAt: ago(digit === 'e' ? 1441 : 1) },
    page: `sms-conversations ${digit === 'd' ? '13810002002' : PHONE}`,
  }));
  const body = { row: `o${String(to.id)}`, token: 'f'.repeat(32), template: '302', ...form };
  const tables = { 'sms.tokens': tokens, 'sms.outbox': [to, ...taken] };
  const world = { tables, given: { Outbox: [{ id: 9 }], ...given } };
  const nodes = await runDesk('conversations', 'Reply is sent', { body, headers: {} }, world);
  const left = tokens.map(({ token }) => String(token).slice(0, 1)).join('');
  return { nodes, left, page: String(nodes['Page that says why']?.[0]?.html) };
}

test.each<[string, Row, boolean, Row?]>([
  ['its token', {}, true],
  ['a token of yesterday', { token: 'e'.repeat(32) }, false],
  ['a token of another number', { token: 'd'.repeat(32) }, false],
  ['no token', { token: '' }, false],
  ['a token that another has used up just now', {}, false, {}],
  ['a token beside which only others were used up', {}, false, { token: 'other' }],
])('with %s, %j, an answer is sent: %j, and none to other windows', async (...given) => {
  const [, form, isSent, used] = given;
  const { nodes, left } = await sendAnswer(form, [], used && { [USE_UP]: [used] });
  expect(nodes.Outbox !== undefined).toBe(isSent);
  expect(left).toBe(isSent ? 'd' : 'fed');
});

const TAKEN = { ...SENT, id: 77, phone_number: PHONE, key: 'f'.repeat(32) };
const UNREAD = { 'Message with this key': [{ error: 'Refused' }] };

test.each<[string, RegExp, Row[], World['given']?]>([
  ['leads to its message, if there is one', /^undefined$/, [TAKEN]],
  ['was not sent, if there is none', /<h2>Not sent<.*has not taken the message: Cut/s, []],
  ['may have been sent, if nobody knows', /^(?!.*Not sent).*may have been sent\./s, [], UNREAD],
])('an answer whose outbox has failed %s', async (...[, says, taken, given]) => {
  const { nodes, page } = await sendAnswer({}, taken, { Outbox: [{ error: 'Cut' }], ...given });
  expect(page).toMatch(says);
  const ids = taken.map(({ id }) => ({ id }));
  expect(nodes['Back to the conversation'] ?? []).toMatchObject(ids);
});
