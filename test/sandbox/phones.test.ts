import { request } from 'undici';
import { CSS } from '../../desk/src/code/look';
import type { Gateway } from './gateway';
import { startGateway } from './gateway';
import { call, templateSend } from './rawClient';

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startGateway({ prefix: '/sms' });
});

afterEach(async () => {
  await gateway.close();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(gateway.origin + path, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function reply(body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const answer = await request(`${gateway.origin}/sandbox/reply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.body.dump();
  return answer.statusCode;
}

const GOOD = { phone_number: '13800138000', content: 'TD' };

describe('the page of virtual phones', () => {
  it('is served at / without a request signature and loads nothing from other sites', async () => {
    const { status, headers, text } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('Virtual phones');
    expect(text).not.toMatch(/innerHTML|<script src|<link rel="stylesheet/);
  });

  it.each([
    ['en', 'en-US,en;q=0.9', '', 'Find a number'],
    ['zh', 'zh-CN,zh;q=0.9', '', '查找号码'],
    ['zh', 'en', '?lang=zh', '查找号码'],
  ])('speaks %s to a browser that asks for %s at /%s', async (lang, accepted, query, text) => {
    const page = await get(`/${query}`, { 'accept-language': accepted });
    expect(page.text).toContain(`<html lang="${lang}"`);
    expect(page.text).toContain(text);
    expect(page.text).not.toMatch(/\{\{|[>"]undefined/);
  });

  it('has a style and the links to the pages of n8n, if it knows their address', async () => {
    const pageOf = async (n8n?: string) => {
      const other = await startGateway({ n8n });
      const answer = await request(other.origin);
      const text = await answer.body.text();
      await other.close();
      return text;
    };
    expect(await pageOf('http://127.0.0.1:5678')).toContain(
      'href="http://127.0.0.1:5678/webhook/sms-dashboard"',
    );
    const alone = await pageOf();
    expect(alone).toContain(CSS);
    expect(alone).not.toContain('/webhook/');
  });

  it('lists the messages and replies of each phone number as they happened', async () => {
    await call(gateway, '/sendsms/template/send', templateSend('13800138000', '13700000001'));
    gateway.reply({ phoneNumber: '13800138000', content: '<b>好</b>' });
    const { phones, total } = JSON.parse((await get('/sandbox/phones')).text) as {
      total: number;
      phones: { phone_number: string }[];
    };
    expect(total).toBe(2);
    expect(phones).toMatchObject([
      {
        phone_number: '13800138000',
        total: 2,
        messages: [
          { direction: 'received', status: 'DELIVRD' },
          { direction: 'sent', content: '<b>好</b>' },
        ],
      },
      { phone_number: '13700000001', messages: [{ direction: 'received', status: 'UNDELIV' }] },
    ]);
    const filtered = JSON.parse((await get('/sandbox/phones?number=0001')).text) as unknown;
    expect(filtered).toMatchObject({ total: 1, phones: [{ phone_number: '13700000001' }] });
  });

  it('keeps the order of what happens within one millisecond, and when the clock goes back', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_767_225_600_000);
    const happened: string[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      if (turn === 30) clock.mockReturnValue(1_767_225_000_000);
      if (turn % 3 === 2) gateway.reply({ phoneNumber: '13800138000', content: `reply ${turn}` });
      else gateway.state.send([{ phone_number: '13800138000', text: `send ${turn}` }]);
      happened.push(`${turn % 3 === 2 ? 'sent reply' : 'received send'} ${turn}`);
    }
    clock.mockRestore();
    const { phones } = JSON.parse((await get('/sandbox/phones')).text) as {
      phones: { total: number; messages: { direction: string; content: string }[] }[];
    };
    expect(phones.map(({ total }) => total)).toEqual([40]);
    expect(phones[0]?.messages.map(({ direction, content }) => `${direction} ${content}`)).toEqual(
      happened.slice(-30),
    );
  });

  it('shows the balance and the number of messages, reports and replies', async () => {
    await call(gateway, '/sendsms/template/send', templateSend('13800138000'));
    gateway.queueReplies(2);
    expect(JSON.parse((await get('/sandbox/summary')).text)).toEqual({
      sent: 1,
      reports_left: 1,
      replies_left: 2,
      balance: 999_999,
    });
  });

  it('queues a reply to the last message', async () => {
    await call(gateway, '/sendsms/template/send', templateSend('13800138000'));
    expect(await reply(GOOD, { origin: gateway.origin })).toBe(200);
    expect(gateway.state.replies.peek(1)).toMatchObject([
      {
        content: 'TD',
        mobile: 13_800_138_000,
        batch_id: expect.stringMatching(/^\d+$/) as unknown,
      },
    ]);
    expect(gateway.requests).toHaveLength(1);
  });

  it.each<[string, unknown, Record<string, string>, number]>([
    ['from another web site', GOOD, { origin: 'https://evil.example' }, 403],
    ['from another port', GOOD, { origin: 'http://127.0.0.1:1' }, 403],
    ['from a page with origin null', GOOD, { origin: 'null' }, 403],
    ['to another host name', GOOD, { host: 'evil.example' }, 403],
    ['with the content type of a form', GOOD, { 'content-type': 'text/plain' }, 415],
    ['from an invalid phone number', { ...GOOD, phone_number: '1' }, {}, 400],
    ['without text', { ...GOOD, content: ' ' }, {}, 400],
    ['that is too long', { ...GOOD, content: 'x'.repeat(1001) }, {}, 400],
    ['that is null', null, {}, 400],
  ])('refuses a reply %s', async (_name, body, headers, status) => {
    expect(await reply(body, headers)).toBe(status);
    expect(gateway.state.replies.length).toBe(0);
  });

  it('refuses other host names (DNS rebinding)', async () => {
    for (const path of ['/', '/sandbox/phones', '/sandbox/summary']) {
      expect((await get(path, { host: 'evil.example' })).status).toBe(403);
      expect((await get(path, { host: 'localhost:80' })).status).toBe(200);
    }
  });

  it('refuses other HTTP methods', async () => {
    expect((await get('/sandbox/reply')).status).toBe(405);
  });
});
