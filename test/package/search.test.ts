import { createRequire } from 'node:module';
import { ACTION, createHarness, TRIGGER } from '../kit/engine';

/** n8n's own search of its list of nodes: over the name of a node and its search words. */
const { sublimeSearch } = createRequire(require.resolve('n8n-core'))(
  '@n8n/utils/search/sublime-search',
) as { sublimeSearch: (filter: string, entries: Entry[]) => { item: Entry }[] };

interface Entry {
  key: string;
  properties: { displayName: string; codex?: { alias?: string[] } };
}

let entries: Entry[];

beforeAll(async () => {
  const { getNodeType } = await createHarness({});
  entries = [ACTION, TRIGGER].map((key) => ({ key, properties: getNodeType(key).description }));
});

const found = (text: string) =>
  sublimeSearch(text, entries)
    .map(({ item }) => item.key)
    .sort();

test.each([
  ...['短信', '验证码', '群发', '通知短信', '发短信', 'send sms', 'text message', 'otp'],
  ...['verification code', 'bulk sms', 'phone', 'notify', 'opt-out', 'opt out', '2fa', 'reminder'],
])('%s finds both nodes', (text) => {
  expect(found(text)).toEqual([ACTION, TRIGGER]);
});

test.each(['邮件', 'whatsapp', 'telegram'])('%s finds neither', (text) => {
  expect(found(text)).toEqual([]);
});
