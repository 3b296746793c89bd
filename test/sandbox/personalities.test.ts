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
      optionsOf(['empty-code', 'records-under-data', 'prefix', 'few-recipients', 'percent-marks']),
    );
    expect(gateway.baseUrl).toBe(`${gateway.origin}/sms/v1`);
    const eleven = Array.from({ length: 11 }, (_, index) => `138000000${10 + index}`);
    const refused = await call(gateway, '/sendsms/template/send', templateSend(...eleven));
    expect(refused.json).toMatchObject({ code: 2012 });
    expect(gateway.deliveries().size).toBe(0);
    const pulled = await call(gateway, '/sendsms/mo/pull', { count: 1 });
    expect(pulled.json).toMatchObject({ code: 2013 });
    const { json } = await call(gateway, '/openapi/template/info');
    const { data, total } = json as { data: { content: string }[]; total: number };
    expect(data).toHaveLength(total);
    expect(data[0]?.content).toContain('%code%');
    expect(gateway.violations).toEqual([]);
  });

  it('two that are about the same exclude each other', () => {
    expect(() => optionsOf(['no-data', 'empty-code'])).toThrow(
      'empty-code excludes no-data: both are about the empty answers',
    );
  });
});
