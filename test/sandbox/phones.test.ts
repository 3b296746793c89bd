import { request } from 'undici';
import type { Gateway } from './gateway';
import { startForTest } from './startForTest';

/* test/e2e/browser/phones.spec.ts uses the page. */

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startForTest();
  gateway.state.send([{ phone_number: '13800138000', text: '<b>您好' }]);
  gateway.state.send([{ phone_number: '13700000001', text: 'Lost' }]);
});

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(gateway.origin + path, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

it('loads nothing from elsewhere, and shows a message as text', async () => {
  const page = await get('/');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.text).toContain('&lt;b&gt;您好');
  expect(page.text).not.toMatch(/undefined|<b>/);
});

it('finds phones by a part of their numbers', async () => {
  const { text } = await get('/?number=0001');
  expect(text).toContain('Lost');
  expect(text).not.toContain('您好');
  expect((await get('/?number=777')).text).toContain('No phone');
});

it.each<[string, string, Record<string, string>, number]>([
  ['from the page', '13800138000=TD', {}, 303],
  ['from another web site', '13800138000=TD', { origin: 'https://evil.example' }, 403],
  ['to another host name (DNS rebinding)', '13800138000=TD', { host: 'evil.example' }, 403],
  ['from a phone that has got nothing', '13900000000=TD', {}, 400],
  ['without text', '13800138000= ', {}, 400],
  ['with too much text', `13800138000=${'x'.repeat(1001)}`, {}, 400],
])('a reply %s', async (_name, reply, changed, status) => {
  const [phone_number = '', content = ''] = reply.split('=');
  const answer = await request(`${gateway.origin}/?number=8000`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...changed },
    body: new URLSearchParams({ phone_number, content }).toString(),
  });
  await answer.body.dump();
  expect(answer.statusCode).toBe(status);
  if (status === 303) expect(answer.headers.location).toBe('/?number=8000');
  expect(gateway.state.replies.length).toBe(status === 303 ? 1 : 0);
});
