import type { IDataObject } from 'n8n-workflow';

import { picked } from '../kit/workflows/workflowFiles';
import { OWN, PHONE, useTemplate } from './run';

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

interface Row {
  what: string;
  play: () => Promise<unknown>;
  /** SMS of the owner and of the number that was typed. */
  owner?: number;
  visitor?: number;
  /** The rows, and what the last one says of both. */
  rows?: number;
  says?: [owner: string, visitor: string];
}

const TOLD = 'accepted';

/** What strangers fill in: they ring one phone, and no more than ten times a day. */
const STRANGERS: Row[] = [
  { what: 'a lead', play: () => fill() },
  {
    what: 'thirty leads, of thirty numbers',
    play: () => times(30, (nth) => fill({ ...lead, phone: numbers(30)[nth - 1] })),
    owner: 10,
    rows: 30,
    says: ['had 10 today', ''],
  },
  { what: '50 numbers', play: () => fill({ ...lead, phone: numbers(50).join(',') }) },
  { what: 'a name of 1,200 characters', play: () => fill({ ...lead, name: '点'.repeat(1200) }) },
  { what: 'blanks for a name, and no phone', play: () => fill({ name: ' ', phone: '' }) },
  { what: 'a name of which nothing is seen', play: () => fill({ ...lead, name: '\u200b\u3164' }) },
  { what: 'nothing', play: () => fill({}) },
  { what: 'the owner', play: () => fill({ ...lead, owner: '13810000011' }) },
  { what: 'an expression', play: () => fill({ ...lead, name: '{{ $json.owner }}' }) },
  { what: 'a source', play: () => fill({ ...lead, source: 'system' }) },
];

/** What the owner's system posts, from strangers, too: each visitor hears once a day. */
const SYSTEMS: Row[] = [
  { what: 'a lead', play: () => post(), visitor: 1, says: [TOLD, TOLD] },
  {
    what: 'a lead twice',
    play: () => times(2, () => post()),
    visitor: 1,
    rows: 2,
    says: ['skipped', 'skipped'],
  },
  {
    what: 'two leads of one number in a day',
    play: () => times(2, (nth) => post({ ...lead, id: nth })),
    owner: 2,
    visitor: 1,
    rows: 2,
    says: [TOLD, 'had 1 today'],
  },
  {
    what: '1,000 numbers',
    play: () => post({ ...lead, id: 'L-1', phone: numbers(1000) }),
    says: [TOLD, "'Max Messages per Run' is 1"],
  },
  {
    what: 'two numbers',
    play: () => post({ ...lead, id: 'L-1', phone: `${PHONE},13810000011` }),
    says: [TOLD, "'Max Messages per Run' is 1"],
  },
  {
    what: 'an owner in it',
    play: () => post({ ...lead, id: 'L-1', owner: '13810000011' }),
    visitor: 1,
    says: [TOLD, TOLD],
  },
  { what: 'nothing', play: () => post(null), says: [TOLD, "'Phone Numbers' "] },
  { what: 'no lead', play: () => post('x'), says: [TOLD, "'Phone Numbers' "] },
  {
    what: 'a lead whose number is that of an execution of the form',
    play: async () => {
      await fill();
      const [{ lead: execution } = {}] = n8n.tables.get('sms_leads') ?? [];
      await post({ ...lead, id: Number(String(execution).replace(/\D/g, '')) });
    },
    owner: 2,
    visitor: 1,
    rows: 2,
    says: [TOLD, TOLD],
  },
  ...['', ' ', null, undefined].map((id) => ({
    what: `a lead with no number: ${JSON.stringify(id)}`,
    play: () => times(2, () => post({ ...lead, id })),
    owner: 2,
    visitor: 1,
    rows: 2,
    says: [TOLD, 'had 1 today'] as [string, string],
  })),
  {
    what: 'a lead while the service refuses once',
    play: () => {
      template.refuse();
      return post();
    },
    owner: 0,
    visitor: 1,
    says: ['余额不足', TOLD],
  },
];

const kinds = [
  ['a stranger', STRANGERS],
  ['the system', SYSTEMS],
] as const;

describe.each(kinds)('%s gives', (_, table) => {
  test.each(table)(
    '$what',
    async ({ play, owner = 1, visitor = 0, rows = 1, says = [TOLD, ''] }) => {
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
      expect(kept.at(-1)).toMatchObject({
        owner: expect.stringContaining(says[0]) as unknown,
        visitor: says[1] ? (expect.stringContaining(says[1]) as unknown) : '',
      });
      expect(JSON.stringify(kept)).not.toMatch(/undefined|\[object/);
    },
  );
});

test('a message may be of any length: it is in the table, and in no SMS', async () => {
  await fill({ ...lead, message: '请打给我'.repeat(500) });
  expect(String(n8n.tables.get('sms_leads')?.[0]?.message)).toHaveLength(500);
  expect(JSON.stringify(template.sentTo(OWNER))).not.toContain('请打给我');
});
