import type { INodeParameters } from 'n8n-workflow';
import type { Gateway, Template } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import { shareGateway } from '../harness/gateway';
import { byId } from '../harness/locators';

let gateway: Gateway;
let mapperFields: Harness['mapperFields'];

shareGateway((world) => {
  ({ gateway, mapperFields } = world);
});

/** The mapper's fields for a template, which may be changed first. */
async function fieldsOf(templateId: unknown, change: Partial<Template> = {}) {
  Object.assign(gateway.state.templates.get(301) ?? {}, change);
  return await mapperFields({ templateId } as INodeParameters);
}

describe('the fields of the resource mapper', () => {
  test('are the text of the template, read-only, and one required field per parameter', async () => {
    const { fields, emptyFieldsNotice } = await fieldsOf(byId('301', 'list'));
    expect(fields).toEqual([
      expect.objectContaining({
        displayName: 'Template Text',
        readOnly: true,
        required: false,
        defaultValue: '["您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。"]',
      }),
      ...['code', 'minutes'].map((name) =>
        expect.objectContaining({
          id: name,
          displayName: name,
          type: 'string',
          required: true,
          display: true,
        }),
      ),
    ]);
    // In automatic mode the editor shows this in place of the fields.
    expect(emptyFieldsNotice).toBe(
      'This template takes code, minutes from each item. Its text: “您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。”',
    );
    expect(gateway.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/openapi/template/info', body: { id: 301, page: 1, page_size: 100 } },
    ]);
  });

  test.each([
    ['an ID typed in', byId(' 301 ')],
    ['a number', { __rl: true, mode: 'id', value: 301 }],
    ['an ID without a mode, as an expression for the whole picker gives it', '301'],
  ])('are found for %s', async (_, templateId) => {
    expect((await fieldsOf(templateId)).fields).toHaveLength(3);
  });

  test('are those of the chosen template, also when the service answers with several', async () => {
    const list = [...gateway.state.templates.values()];
    gateway.fault({ kind: 'wrongShape', body: { list, total: list.length } });
    const { fields } = await fieldsOf(byId('302', 'list'));
    expect(fields.slice(1).map(({ id }) => id)).toEqual(['name', 'order', 'date']);
  });

  test('keep the lines and special characters of the text', async () => {
    const content = 'Hi "{name}"\n<b>{shop}</b> & more';
    const { fields, emptyFieldsNotice } = await fieldsOf(byId('301', 'list'), { content });
    expect(JSON.parse(String(fields[0]?.defaultValue))).toEqual(content.split('\n'));
    expect(emptyFieldsNotice).toContain('&lt;b&gt;{shop}&lt;/b&gt; &amp; more');
  });

  test.each<[string, unknown, Partial<Template>, RegExp]>([
    ['no template is chosen', byId('', 'list'), {}, /^Choose a template/],
    ['the parameter has no value', undefined, {}, /^Choose a template/],
    [
      'the template comes from an expression',
      byId('={{ $json.template }}'),
      {},
      /expression.*"As JSON"/,
    ],
    ['there is no such template', byId('999', 'list'), {}, /no template with the ID 999/],
    [
      'the template has no parameters',
      byId('303', 'list'),
      {},
      /^No parameters.*"As JSON".*系统将于今晚/,
    ],
    [
      'the service states another number of parameters than its text shows',
      byId('301', 'list'),
      { param_count: 5 },
      /states 5 parameters.*shows 2 \(code, minutes\).*"As JSON".*您的验证码是/,
    ],
    [
      'the service states parameters and none is recognised',
      byId('301', 'list'),
      { content: 'Code: <1>', param_count: 1 },
      /states 1 parameters.*shows 0\..*"As JSON".*Code: &lt;1&gt;/,
    ],
  ])('are none, with a reason, where %s', async (_, templateId, change, reason) => {
    const { fields, emptyFieldsNotice } = await fieldsOf(templateId, change);
    expect(fields).toEqual([]);
    expect(emptyFieldsNotice).toMatch(reason);
  });

  test('do not change when the service fails: the error is thrown', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'maintenance', times: 5 });
    await expect(fieldsOf(byId('301', 'list'))).rejects.toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('maintenance'),
    });
    gateway.fault({ kind: 'html' });
    await expect(fieldsOf(byId('301', 'list'))).rejects.toThrow('web page');
  });
});
