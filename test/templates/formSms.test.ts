import type { IDataObject } from 'n8n-workflow';

import { mapped } from '../../examples/src/parts';
import { picked } from '../kit/workflows/workflowFiles';
import { has, OTHER, OWN, PHONE, useTemplate } from './run';

const OWNER = '13810000020';

const template = useTemplate(
  'form-sms',
  {
    'Text the owner': { ...OWN, templateId: picked(301), phoneNumbers: OWNER },
    'Text the visitor': OWN,
  },
  '${name}您好,我们会联系您。',
);

const { gateway, n8n } = template;

/** The owner's template of the sandbox has other parameters. */
beforeEach(() => {
  const own = gateway.state.templates.get(301);
  if (own) Object.assign(own, { content: '新线索:${name},${phone}', sign_id: 202 });
});

const lead = { name: '李雷', phone: PHONE };

const fill = (fields: IDataObject = lead) => template.run('The form', fields);
const post = (body: unknown = { id: 'L-1', ...lead }) =>
  template.run('Lead from your system', { body } as IDataObject);

const times = async (count: number, act: (nth: number) => Promise<unknown>) => {
  for (let nth = 1; nth <= count; nth++) await act(nth);
};

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `1381${1000010 + at}`);

/** SMS of the owner and of the number that was typed; the rows, and what the last one says of both. */
interface Outcome {
  owner?: number;
  visitor?: number;
  rows?: number;
  says?: [owner: string, visitor: string];
}

type Row = [what: string, play: () => Promise<unknown>, outcome?: Outcome];

const TOLD = 'accepted';

/** What strangers fill in: they ring one phone, and no more than ten times a day. */
const STRANGERS: Row[] = [
  ['a lead', () => fill()],
  [
    'thirty leads, of thirty numbers',
    () => times(30, (nth) => fill({ ...lead, phone: numbers(30)[nth - 1] })),
    { owner: 10, rows: 30, says: ['had 10 today', ''] },
  ],
  ['50 numbers', () => fill({ ...lead, phone: numbers(50).join(',') })],
  ['a name of 1,200 characters', () => fill({ ...lead, name: '点'.repeat(1200) })],
  ['blanks for a name, and no phone', () => fill({ name: ' ', phone: '' })],
  ['a name of which nothing is seen', () => fill({ ...lead, name: '\u200b\u3164' })],
  ['nothing', () => fill({})],
  ['the owner', () => fill({ ...lead, owner: OTHER })],
  ['an expression', () => fill({ ...lead, name: '{{ $json.owner }}' })],
  ['a source', () => fill({ ...lead, source: 'system' })],
  ['a post', () => fill({ ...lead, post: { phone: OTHER }, body: { phone: OTHER } })],
];

const BOTH: Outcome = { visitor: 1, says: [TOLD, TOLD] };
const ONE_TODAY: Outcome = { owner: 2, visitor: 1, rows: 2, says: [TOLD, 'had 1 today'] };
const TOO_MANY: Outcome = { says: [TOLD, "'Max Messages per Run' is 1"] };
const NAMELESS = { id: 'L-1', phone: PHONE };
const NO_NAME: Outcome = { says: [TOLD, 'name'] };
const NO_NUMBER: Outcome = { says: [TOLD, "'Phone Numbers' "] };

/** What the owner's system posts, from strangers, too: each visitor hears once a day. */
const SYSTEMS: Row[] = [
  ['a lead', () => post(), BOTH],
  [
    'a lead twice',
    () => times(2, () => post()),
    { visitor: 1, rows: 2, says: ['skipped', 'skipped'] },
  ],
  [
    'two leads of one number in a day',
    () => times(2, (nth) => post({ ...lead, id: nth })),
    ONE_TODAY,
  ],
  ['1,000 numbers', () => post({ ...lead, id: 'L-1', phone: numbers(1000) }), TOO_MANY],
  [
    'no name, in the field of another system',
    () => post({ ...NAMELESS, fullname: '李雷' }),
    NO_NAME,
  ],
  ['an owner in it', () => post({ ...lead, id: 'L-1', owner: OTHER }), BOTH],
  [
    'a lead as text, as a list and as JSON: one number of a lead',
    async () => {
      await post(JSON.stringify([{ id: 'L-1', ...lead }]));
      await post([{ id: 'L-1', ...lead }]);
      await post();
    },
    { visitor: 1, rows: 3, says: ['skipped', 'skipped'] },
  ],
  [
    'the same, with its name',
    async () => {
      await post(NAMELESS);
      await post();
    },
    { visitor: 1, rows: 2, says: ['skipped', TOLD] },
  ],
  ['two leads', () => post([lead, { ...lead, phone: OTHER }]), NO_NUMBER],
  ['no lead', () => post('x'), NO_NUMBER],
  [
    'a lead whose number is that of an execution of the form',
    async () => {
      await fill();
      const [{ lead: execution } = {}] = n8n.tables.get('sms_leads') ?? [];
      await post({ ...lead, id: Number(String(execution).replace(/\D/g, '')) });
    },
    { ...BOTH, owner: 2, rows: 2 },
  ],
  ...['', ' ', null, undefined].map((id): Row => [
    `a lead with no number: ${JSON.stringify(id)}`,
    () => times(2, () => post({ ...lead, id })),
    ONE_TODAY,
  ]),
  [
    'a lead while the service refuses once',
    () => {
      template.refuse();
      return post();
    },
    { owner: 0, visitor: 1, says: ['余额不足', TOLD] },
  ],
];

describe.each([
  ['a stranger', STRANGERS],
  ['the system', SYSTEMS],
] as const)('%s gives', (_, table) => {
  test.each(table)('%s', async (__, play, outcome = {}) => {
    const { owner = 1, visitor = 0, rows = 1, says = [TOLD, ''] } = outcome;
    await play();
    expect(template.sentTo(OWNER)).toHaveLength(owner + (says[0].includes('余额') ? 1 : 0));
    const others = [...gateway.deliveries()].filter(([phone]) => phone !== OWNER);
    expect(others).toEqual(visitor > 0 ? [[PHONE, visitor]] : []);
    expect(gateway.deliveries().get(OWNER) ?? 0).toBe(owner);
    for (const { name } of template.sentTo(OWNER)) {
      expect([...String(name)].length).toBeLessThanOrEqual(20);
    }
    const kept = n8n.tables.get('sms_leads') ?? [];
    expect(kept).toHaveLength(rows);
    if (says[0] === TOLD && visitor > 0) expect(kept.at(-1)).toMatchObject(lead);
    expect(kept.at(-1)).toMatchObject({
      owner: has(says[0]),
      visitor: says[1] ? has(says[1]) : '',
    });
  });
});

test.each([{}, { message: '' }, { message: ' \u3164', phone: '' }])(
  'an owner whose SMS has the message, too, is told of %j',
  async (fields) => {
    const own = gateway.state.templates.get(301);
    if (own) own.content = '新线索:${name},${phone},${message}';
    const value = { name: "={{ $json.name || '-' }}", phone: '={{ $json.phone }}' };
    template.choose({
      'Text the owner': {
        ...{ ...OWN, templateId: picked(301), phoneNumbers: OWNER },
        parameters: mapped({ ...value, message: '={{ $json.message }}' }),
      },
    });
    await fill({ ...lead, ...fields });
    const phone = 'phone' in fields ? '-' : PHONE;
    expect(template.sentTo(OWNER)).toEqual([{ name: '李雷', phone, message: '-' }]);
  },
);

test('a message may be of any length: it is in the table, and in no SMS', async () => {
  await fill({ ...lead, message: '请打给我'.repeat(500) });
  expect(String(n8n.tables.get('sms_leads')?.[0]?.message)).toHaveLength(500);
  expect(JSON.stringify(template.sentTo(OWNER))).not.toContain('请打给我');
});
