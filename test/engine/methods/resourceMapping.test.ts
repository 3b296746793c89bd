import type { INodeParameters } from 'n8n-workflow';
import type { Template } from '../../sandbox/gateway';
import { createHarness } from '../../kit/engine';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { REVIEWS } from '../../kit/engine/reviews';

const { gateway, mapperFields, templateText } = useGateway();

/** The next answer shows template 301 with these fields. */
function change(fields: Record<string, unknown>) {
  const list = [{ ...gateway.state.templates.get(301), ...fields }];
  gateway.fault({ kind: 'wrongShape', body: { list, total: 1 } });
}

const fieldsOf = async (templateId: unknown) =>
  await mapperFields({ templateId } as INodeParameters);

describe('the fields of the resource mapper', () => {
  test('are one required field per parameter of the template', async () => {
    const { fields, emptyFieldsNotice } = await fieldsOf(byId('301', 'list'));
    expect(fields).toEqual(
      ['code', 'minutes'].map((name) =>
        expect.objectContaining({
          id: name,
          displayName: name,
          type: 'string',
          required: true,
          display: true,
        }),
      ),
    );
    // From Input Fields of the Same Name: the editor shows this instead of the fields.
    expect(emptyFieldsNotice).toBe(
      'Each item needs the fields code, minutes, with text as values.',
    );
    expect(gateway.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/openapi/template/info', body: { id: 301, page: 1, page_size: 20 } },
    ]);
  });

  test.each([
    ['an ID typed in', byId(' 301 ')],
    ['an ID without a mode, as an expression for the whole picker gives it', '301'],
  ])('are found for %s', async (_, templateId) => {
    expect((await fieldsOf(templateId)).fields).toHaveLength(2);
  });

  test.each<[string, unknown, Partial<Template>, RegExp]>([
    [
      'no template is chosen',
      byId('', 'list'),
      {},
      /^The parameters of the template that you choose/,
    ],
    [
      'the template comes from an expression',
      byId('={{ $json.template }}'),
      {},
      /expression.*"As JSON"/,
    ],
    ['there is no such template', byId('999', 'list'), {}, /not known.*"As JSON"/],
    ['the template has no parameters', byId('303', 'list'), {}, /^No parameters.*"As JSON"/],
    [
      'the service states another number of parameters than its text shows',
      byId('301', 'list'),
      { param_count: 5 },
      /states 5 parameters.*shows 2 \(code, minutes\).*"As JSON"/,
    ],
    [
      'the service states parameters and none is recognised',
      byId('301', 'list'),
      { content: 'Code: <1>', param_count: 1 },
      /states 1 parameters.*shows 0\..*"As JSON"/,
    ],
  ])('are none, with a reason, where %s', async (_, templateId, fields, reason) => {
    if (Object.keys(fields).length > 0) change(fields);
    const { fields: none, emptyFieldsNotice } = await fieldsOf(templateId);
    expect(none).toEqual([]);
    expect(emptyFieldsNotice).toMatch(reason);
  });

  test('do not change when the service fails: the error is thrown', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'maintenance' });
    await expect(fieldsOf(byId('301', 'list'))).rejects.toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('maintenance'),
    });
    gateway.fault({ kind: 'html' });
    await expect(fieldsOf(byId('301', 'list'))).rejects.toThrow('web page');
  });
});

describe('the text of the template', () => {
  const TEXT = '您的验证码是<b>‹code›</b>,<b>‹minutes›</b>分钟内有效,请勿告诉他人。';
  const LENGTH = '<br>26 characters plus the values: at least 1 segment.';
  const MESSAGE = `【青禾科技】${TEXT}${LENGTH}`;
  const SIGNATURES = '/openapi/sign/info';

  const textOf = async (templateId: unknown, signatureId?: unknown) =>
    await templateText({ templateId, signatureId } as INodeParameters);

  const paths = () => gateway.requests.map(({ path }) => path);

  test.each<[string, unknown]>([
    ['chosen from the list', byId('301', 'list')],
    ['chosen by its ID', byId(' 301 ')],
  ])('is shown as it arrives, with its length, when it is %s', async (_, templateId) => {
    expect(await textOf(templateId, byId(201))).toBe(MESSAGE);
    expect(paths()).toEqual(['/openapi/template/info', SIGNATURES]);
  });

  test.each([
    [
      'HTML',
      '<b>{shop}</b> & "more" &lt;',
      '&lt;b&gt;<b>‹shop›</b>&lt;/b&gt; &amp; "more" &amp;lt;<br>27 characters plus the values',
    ],
    ['marks of parameters', '{{ $json.code }} ${code} $1', '{{ $json.code }} <b>‹code›</b> $1<br>'],
    ['numbers, of which none reads as a code', '验证码{1}', '验证码<b>‹1›</b><br>'],
  ])('is shown as it is: %s', async (_, content, html) => {
    change({ content });
    expect(await textOf(byId(301), byId(201))).toContain(`【青禾科技】${html}`);
  });

  test.each(['', null, undefined, 7])(
    'is replaced by a notice where there is none: %p',
    async (content) => {
      change({ content });
      expect(await textOf(byId(301))).toBe('The service gives no text for this template.');
    },
  );

  test.each<[string, unknown, unknown]>([
    ['that is the one of the template', 201, 201],
    ['while the template names none', undefined, 202],
    ['from an expression', 202, '={{ $json.signature }}'],
    ['not yet', 202, ''],
  ])('has no warning when a signature is chosen %s', async (_, sign_id, chosen) => {
    change({ sign_id });
    const html = await textOf(byId(301), byId(chosen));
    expect(html).toContain(TEXT);
    expect(html).not.toMatch(/^<b>/);
  });

  // Guess: template-signature
  test('begins with a warning when the template belongs to another signature', async () => {
    const html = await textOf(byId(301), byId(202));
    const warning =
      "<b>This template belongs to another signature. Choose 青禾科技 (ID 201) in 'Signature', or leave 'Signature' empty.</b>";
    expect(html).toBe(`${warning}<br>【云岭商城】${TEXT}${LENGTH}`);
    expect(paths()).toEqual(['/openapi/template/info', SIGNATURES]);
  });

  test('has the names of signatures as text, not as HTML', async () => {
    Object.assign(gateway.state.signatures.get(201) ?? {}, { name: '<img src=x>' });
    expect(await textOf(byId(301), byId(202))).toContain('Choose &lt;img src=x&gt; (ID 201) in');
  });

  // Guess: review-status
  test.each([false, 0, '0', 'false'])('begins with a warning at status %p', async (status) => {
    change({ status });
    const html = await textOf(byId(301), byId(201));
    expect(html).toBe(
      `<b>This template is disabled: choose another one, or ask your SMS provider.</b><br>${MESSAGE}`,
    );
  });

  // Guess: review-status
  test.each(REVIEWS)(
    'with the review status %j: a warning says "%s"',
    async (audit_status, words) => {
      change({ audit_status });
      const warning = `<b>This template may not have passed its review: ${words}.</b><br>`;
      expect(await textOf(byId(301), byId(201))).toBe(`${words && warning}${MESSAGE}`);
    },
  );

  test.each([
    ['none is chosen', 201, ''],
    ['the other one comes from an expression', 0, '={{ 1 }}'],
  ])('begins with a warning of a signature of its own, also if %s', async (_, sign_id, chosen) => {
    change({ content: '您好【云岭】', sign_id, param_count: 0 });
    expect(await textOf(byId(301), byId(chosen))).toContain(
      '<b>The text itself has 【云岭】, so the message may arrive with two signatures.</b><br>',
    );
  });

  test('has no such warning when no signature is added', async () => {
    change({ content: '【云岭】您好', sign_id: 0, param_count: 0 });
    expect(await textOf(byId(301), byId(''))).toMatch(/^【云岭】您好<br>/);
  });

  test.each<[string, unknown, string]>([
    ['comes from an expression', byId('={{ $json.template }}'), 'comes from an expression'],
    ['is unknown to the service', byId(999), 'The service gave no template with the ID 999.'],
  ])('is replaced by a notice when the template %s', async (_, templateId, notice) => {
    expect(await textOf(templateId, byId(201))).toContain(notice);
  });

  // After an error, the editor would keep the text of the previous template.
  test('is replaced by a notice when the service fails', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: '<maintenance>', times: 5 });
    const notice = await textOf(byId(301));
    expect(notice).toMatch(/^The text cannot be shown\. .*&lt;maintenance&gt; \(code 9000\)/);
    const { templateText: withoutCredential } = await createHarness({});
    expect(await withoutCredential({ templateId: byId(301) })).toMatch(
      /^The text cannot be shown\. ./,
    );
  });
});
