import { optionsOf, PERSONALITIES } from './personalities';
import { call, templateSend } from './rawClient';
import { startForTest } from './startForTest';

describe('personalities', () => {
  it('have names of their own', () => {
    const names = PERSONALITIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('can be switched on together, in any order', async () => {
    const gateway = await startForTest(
      optionsOf(['errors-nested', 'text-codes', 'prefix', 'few-recipients', 'http-201']),
    );
    expect(gateway.baseUrl).toBe(`${gateway.origin}/sms/v1`);
    const eleven = Array.from({ length: 11 }, (_, index) => `138000000${10 + index}`);
    const refused = await call(gateway, '/sendsms/template/send', templateSend(...eleven));
    expect(refused.json).toMatchObject([[{ code: '2012' }]]);
    const accepted = await call(gateway, '/sendsms/template/send', templateSend('13800000001'));
    expect(accepted).toMatchObject({ status: 201, json: { code: '0', count: 1 } });
    expect(gateway.deliveries()).toEqual(new Map([['13800000001', 1]]));
    expect(gateway.violations).toEqual([]);
  });

  it('long-numbers: every ID in the answers is beyond 2⁵³, and requests hold the same', async () => {
    const gateway = await startForTest(optionsOf(['long-numbers', 'update-ids']));
    const { text } = await call(gateway, '/openapi/template/info');
    const ids = [...text.matchAll(/"id":(\d+)/g)].map(([, id = '']) => id);
    expect(ids).toHaveLength(4);
    for (const id of ids) expect(Number.isSafeInteger(Number(id))).toBe(false);
    const rawBody = `{"template_id":${ids[0]},"remark":"1234567890123456789"}`;
    const updated = await call(gateway, '/openapi/template/update', {}, { rawBody });
    expect(updated.text).toContain(`"id":${ids[0]}`);
    expect(gateway.state.templates.get(301)?.remark).toBe('1234567890123456789');
  });

  it('two that are about the same exclude each other', () => {
    expect(() => optionsOf(['prefix', 'redirect'])).toThrow(
      'prefix excludes redirect: both are about the address',
    );
  });
});
