/** What the owner is told, and what goes by itself, where two tables or two pages meet. */
import { database, quoted } from './database';
import { Desk, fieldsOf, NOW } from './campaigns';
import type { Row } from './workflow';

const PHONE = '13810000001';
const at = (minutes: number) => NOW.plus({ minutes }).toUTC().toISO();

/** A campaign of three, and what else there is. */
function deskOf(campaign: object = {}, more: Record<string, Row[]> = {}): Desk {
  const people = [1, 2, 3].map((id) => ({
    ...{ id, campaign: 'Spring', phone_number: `1381000000${id}`, status: 'pending', portion: '1' },
    ...{ parameters: '{}', batch_id: '', reason: '', changed: at(-60), sent_at: null },
  }));
  const row = {
    ...{ id: 5, campaign: 'Spring', state: 'draft', content: 'Hello', template_id: '302' },
    ...{ portion_size: 100, keep_balance: 0, ticked_at: at(0), loaded_at: at(-60), ...campaign },
  };
  return new Desk({
    ...{ 'sms.campaigns': [row], 'sms.recipients': people, 'sms.outbox': [] },
    ...{ 'sms.rules': [{ class: 'marketing', per_hour: 0, per_day: 0 }], ...more },
  });
}

test('who is in a campaign waits there, and not in the outbox', () => {
  const marketing = { class: 'marketing', outside_hours: 'wait', from_hour: 12, to_hour: 13 };
  const desk = deskOf({}, { 'sms.rules': [marketing] });
  const message = { phone: PHONE, class: 'marketing', template_id: '302' };
  const answers = desk.outbox([{ ...message, phone_data: 'sms_recipients:1' }, message], () => []);
  expect(answers.map(({ status }) => status)).toEqual(['refused', 'waiting']);
});

test.each([
  [true, '2', '1'],
  [false, '3', '0'],
])('if the rule asks the opt-out list (%s), a start goes to %s people', (asks, people, out) => {
  const rules = [{ class: 'marketing', check_opt_outs: asks }];
  deskOf({}, { 'sms.rules': rules, 'sms.opt_outs': [{ phone_number: PHONE }] }).page();
  const [plan] = database().rows(`SELECT sms.campaign_plan('Spring') AS plan`);
  expect(plan?.plan).toMatchObject({ people: Number(people), optedOut: Number(out) });
});

test.each([
  [{ status: 'accepted' }, 0],
  [{ status: 'accepted', report: 'DELIVRD' }, 0],
  // It has not arrived.
  [{ status: 'accepted', report: 'UNDELIV' }, 1],
  [{ status: 'refused' }, 1],
])('behind a reply, a message that is %j leaves %i who wait', (message, count) => {
  const reply = { event: 'reply', phone_number: PHONE, content: 'When?', time: at(-9) };
  const answer = { phone_number: PHONE, class: 'notice', sent_at: at(-5), ...message };
  database().fill({ 'sms.inbox': [reply], 'sms.outbox': [answer] }, NOW.toISO());
  expect(database().rows(`SELECT * FROM sms.waiting('')`)).toHaveLength(count);
});

test('a balance from before an error is none', () => {
  const said = { what: 'balance', balance: 9, answered: at(-9), asked: at(-1) };
  const asked = { now: at(0), start: at(-60), before: at(-120), zone: 'UTC' };
  const json = quoted(JSON.stringify({ ...asked, template: '', batch: '', status: '' }));
  const balance = (error: string) => {
    database().fill({ 'sms.service': [{ ...said, error }] }, NOW.toISO());
    return database().rows(`SELECT sms.dashboard(${json})->'balance' AS balance`)[0]?.balance;
  };
  expect([balance(''), balance('Login')]).toEqual([9, null]);
});

test('who only mentions a stop word is texted no more, and still needs a reply', () => {
  const desk = deskOf();
  const record = { event: 'reply', phone_number: PHONE, content: 'TD 张三', time_iso: at(-1) };
  desk.run('inbox', 'New reports and replies', { ...record, page_id: 'p' });
  const message = { phone: PHONE, class: 'marketing', template_id: '302' };
  expect(desk.outbox([message], () => [])).toMatchObject([{ reason_code: 'opted_out' }]);
  expect(database().rows(`SELECT * FROM sms.waiting('')`)).toHaveLength(1);
});

test('a question that waits for its hour has no answer yet', () => {
  const question = {
    ...{ id: 7, phone_number: PHONE, answers: '1,2', asked: at(-60), answer: '' },
    ...{ reply: '', resume_url: 'http://n8n', batch_id: '' },
  };
  const waits = { phone_number: PHONE, phone_data: 'question-7', status: 'waiting' };
  const tables = { 'sms.questions': [question], 'sms.outbox': [waits] };
  const record = { id: 7, event: 'reply', run: 'p', content: '1', phone_number: PHONE };
  const given = { 'Wake the execution': [], 'Wait for the reply': [] };
  const answer = () => {
    new Desk(tables).run('ask-and-wait', 'Customers, or records of the inbox', record, { given });
    return tables['sms.questions'][0]?.answer;
  };
  expect(answer()).toBe('');
  Object.assign(tables['sms.outbox'][0] ?? {}, { status: 'accepted' });
  expect(answer()).toBe('1');
});

test.each([
  ['13600000001.0', '13600000001'],
  ['+008613600000001', '13600000001'],
  // Of other countries.
  ['+1 650 253 0000', '+1 650 253 0000'],
  ['0013600000001', '0013600000001'],
])('on the opt-out list, %s is %s', (given, phone_number) => {
  database().fill({ 'sms.opt_outs': [{ phone_number: given }] }, NOW.toISO());
  expect(database().rows('SELECT * FROM sms.opt_outs')).toMatchObject([{ phone_number }]);
});
