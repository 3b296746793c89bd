import { request } from 'undici';
import type { Gateway } from './gateway';
import { startForTest } from './startForTest';

/* test/e2e/browser/phones.spec.ts uses the page. */

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startForTest();
  gateway.state.send([{ phone_number: '13800138000', text: '您好' }]);
});

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(gateway.origin + path, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

it('loads nothing from elsewhere, and has its texts in the language of the browser', async () => {
  const page = await get('/', { 'accept-language': 'zh-CN,zh;q=0.9' });
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.text).toContain('查找号码');
  expect(page.text).not.toMatch(/\{\{|[>"]undefined|innerHTML/);
});

it('finds phones by a part of their numbers', async () => {
  gateway.state.send([{ phone_number: '13700000001', text: '您好' }]);
  const { phones } = JSON.parse((await get('/sandbox/phones?number=0001')).text) as object &
    Record<string, unknown>;
  expect(phones).toMatchObject([{ phone_number: '13700000001', messages: [{ content: '您好' }] }]);
});

const GOOD = { phone_number: '13800138000', content: 'TD' };

it.each<[string, unknown, Record<string, string>, number]>([
  ['from the page', GOOD, {}, 200],
  ['from another web site', GOOD, { origin: 'https://evil.example' }, 403],
  ['to another host name (DNS rebinding)', GOOD, { host: 'evil.example' }, 403],
  ['with the content type of a form', GOOD, { 'content-type': 'text/plain' }, 415],
  ['from a bad phone number', { ...GOOD, phone_number: '1' }, {}, 400],
  ['without text', { ...GOOD, content: ' ' }, {}, 400],
])('a reply %s', async (_name, body, changed, status) => {
  const answer = await request(`${gateway.origin}/sandbox/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...changed },
    body: JSON.stringify(body),
  });
  await answer.body.dump();
  expect(answer.statusCode).toBe(status);
  expect(gateway.state.replies.length).toBe(status === 200 ? 1 : 0);
});
