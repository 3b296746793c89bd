import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Gateway } from '../sandbox/gateway';
import { optionsOf, PERSONALITIES } from '../sandbox/personalities';
import * as seed from '../sandbox/seeds';
import { startForTest } from '../sandbox/startForTest';
import { runCheck } from './runCheck';

/** What must not be in a report. Each occurs in answers, as a value or as a name of a field. */
const PERSONAL = [
  '13912345678',
  '31000019000101123X',
  '王小明',
  'xiaoming@private.example',
  'private.example',
  '482913',
  '9f86d081884c7d65',
  'Private-words',
  'sandbox-key',
  'sandbox-secret-5f2c91',
  '127.0.0.1',
];

const [
  PHONE = '',
  PERSON = '',
  NAME = '',
  MAIL = '',
  HOST = '',
  CODE = '',
  TOKEN = '',
  WORDS = '',
] = PERSONAL;

/** Fields whose names are personal. */
const ODD = {
  [PHONE]: PHONE,
  [NAME]: NAME,
  [MAIL]: 1,
  [TOKEN]: { [WORDS]: PERSON },
  [PERSON]: null,
};

/** A gateway full of personal data. */
async function startPrivate(names: string[]): Promise<Gateway> {
  const gateway = await startForTest({ ...optionsOf(names), validate: false });
  const { qualifications, signatures, templates, leads } = gateway.state;
  for (const id of [901, 902, 903]) {
    const company = { name: NAME, company_name: WORDS, legal_person: NAME, operator: NAME };
    const numbers = { legal_mobile: PHONE, legal_person_certificate: PERSON, ...ODD };
    qualifications.set(id, seed.qualification(id, { ...company, ...numbers }));
    signatures.set(id, seed.signature(id, { name: NAME, certification_id: 101, ...ODD }));
    const content = `${NAME}: ${CODE}, %${NAME}% @${WORDS}@ #${TOKEN}# {${PHONE}}`;
    templates.set(
      id,
      seed.template(id, { name: WORDS, content, remark: MAIL, ...ODD, param_count: 9 }),
    );
    const links = { url: `https://${HOST}/?t=${TOKEN}`, phone_1: PHONE, template: WORDS };
    leads.set(id, seed.lead(id, { sign_id: 201, sign_name: NAME, ...links, ...ODD }));
  }
  gateway.queueReports([
    {
      time: 1,
      batch_id: TOKEN,
      status: WORDS,
      status_desc: WORDS,
      phone_data: MAIL,
      phone_number: PHONE,
      user_data: NAME,
      split_count: 1,
      ...ODD,
    },
  ]);
  gateway.queueReplies([
    {
      batch_id: TOKEN,
      sms_content: WORDS,
      time: 1,
      ext_no: CODE,
      content: NAME,
      mobile: Number(PHONE),
      ...ODD,
    },
  ]);
  return gateway;
}

/** All that is on the page, and what it is made of. */
async function shown(gateway: Gateway, credential: IDataObject = {}): Promise<string> {
  return JSON.stringify(await runCheck({ ...gateway.credential(), ...credential }, { pull: true }));
}

function expectNothingPersonal(text: string): void {
  for (const secret of PERSONAL) expect(text).not.toContain(secret);
}

test('the records hold what must not be in a report', async () => {
  const text = await shown(await startPrivate([]));
  expect(text).toContain('5 records');
  expectNothingPersonal(text);
});

test.each(PERSONALITIES.map(({ name }) => name))(
  '%s: nothing personal in the report',
  async (name) => {
    expectNothingPersonal(await shown(await startPrivate([name])));
  },
);

test('any personalities together: nothing personal in the report', async () => {
  const together = fc.uniqueArray(fc.constantFrom(...PERSONALITIES), {
    minLength: 2,
    maxLength: 8,
    selector: ({ about }) => about,
  });
  await fc.assert(
    fc.asyncProperty(together, async (chosen) => {
      expectNothingPersonal(await shown(await startPrivate(chosen.map(({ name }) => name))));
    }),
    { numRuns: 15 },
  );
});

test.each([
  { kind: 'businessCode', code: 1, msg: `${WORDS} ${PHONE}` },
  { kind: 'businessCode', code: TOKEN as never, msg: WORDS },
  { kind: 'businessCode', code: Number(PHONE), msg: WORDS },
  { kind: 'status', status: 500, body: `<p>${NAME}</p>` },
  { kind: 'status', status: 403, body: { code: PHONE, [PHONE]: WORDS } },
  {
    kind: 'status',
    path: '/openapi/lead/info',
    status: 400,
    body: { code: 7, msg: NAME, request_id: TOKEN },
  },
  { kind: 'html', body: `<p>${NAME} ${TOKEN}</p>` },
  { kind: 'wrongShape', body: { [TOKEN]: [{ [NAME]: PHONE }] } },
  {
    kind: 'wrongShape',
    body: { code: 0, data: { [PHONE]: [{ id: NAME }], total: PHONE, page_size: CODE } },
  },
  { kind: 'wrongShape', body: [[WORDS]] },
  { kind: 'redirect', location: `https://${HOST}/${TOKEN}/sendsms/balance` },
  { kind: 'redirect', location: `/${TOKEN}/sendsms/balance` },
  { kind: 'truncatedJson' },
  { kind: 'resetBeforeAccept' },
] as const)('nothing personal in the report of $kind', async (fault) => {
  const gateway = await startPrivate([]);
  gateway.fault({ ...fault, times: Infinity });
  expectNothingPersonal(await shown(gateway));
});

test('nothing personal where the key is refused, or nobody listens', async () => {
  const gateway = await startPrivate([]);
  expectNothingPersonal(await shown(gateway, { apiSecret: WORDS }));
  await gateway.close();
  expectNothingPersonal(await shown(gateway));
});
