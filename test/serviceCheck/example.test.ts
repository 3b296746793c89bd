import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { check, checkText, planText } from './load';
import type { CheckRequest, Report } from './load';

const { nodes } = JSON.parse(
  readFileSync(join(__dirname, '../../examples/service-check.json'), 'utf8'),
) as { nodes: INode[] };

function nodeOf(name: string): INode {
  const node = nodes.find((each) => each.name === name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}

interface Items {
  all(): { json: object }[];
  first(): { json: object };
}

function items(...all: object[]): Items {
  const wrapped = all.map((json) => ({ json }));
  return { all: () => wrapped, first: () => wrapped[0] ?? { json: {} } };
}

/** Runs a Code node. */
function run(name: string, input: Items, others: Record<string, Items> = {}): { json: object }[] {
  const code = new Function('$input', '$', '$execution', String(nodeOf(name).parameters.jsCode));
  return code(input, (other: string) => others[other], { id: '42' }) as { json: object }[];
}

test.each([
  ['Requests', planText],
  ['Report', checkText],
])('%s holds the text of the check, and a line that calls it', (name, text) => {
  const code = String(nodeOf(name).parameters.jsCode);
  // `npm run docs` writes it there.
  expect(code.startsWith(`${text}\n`)).toBe(true);
  expect(code.slice(text.length + 1)).toMatch(/^return .*;$/);
});

test.each([
  [{}, false],
  [{ 'Pull too': '' }, false],
  [{ 'Pull too': 'No' }, false],
  [{ 'Pull too': 'Yes, take one delivery report and one reply' }, true],
])('with the form %j it pulls: %s', (form, pull) => {
  expect(run('Requests', items(form)).map(({ json }) => json)).toEqual(check.plan({ pull }));
});

test('it signs with the credential, follows no redirect, and takes every answer as it comes', () => {
  const signed = nodeOf('Ask with key and signature');
  const unsigned = nodeOf('Ask without key');
  expect(signed.parameters).toEqual({
    ...unsigned.parameters,
    authentication: 'predefinedCredentialType',
    nodeCredentialType: 'smsMessagingServiceApi',
  });
  expect(Object.keys(signed.credentials ?? {})).toEqual(['smsMessagingServiceApi']);
  expect(unsigned.credentials).toBeUndefined();
  expect([signed.onError, unsigned.onError]).toEqual(Array(2).fill('continueRegularOutput'));
  expect(signed.parameters.options).toMatchObject({
    redirect: { redirect: { followRedirects: false } },
    response: { response: { fullResponse: true, neverError: true, responseFormat: 'text' } },
  });
});

test('the report is the one of the command, with a web page of it', () => {
  const requests = check.plan({ pull: true }) as (CheckRequest & object)[];
  const answer = { statusCode: 200, data: '{"code":"<b>&"}', headers: { location: '/x' } };
  const [item] = run('Report', items(...requests.map(() => answer)), {
    Requests: items(...requests),
  });
  const { page, ...report } = item?.json as Report & { page: string };
  const answers = requests.map((request) => ({ ...request, status: 200, text: answer.data }));
  const kept = 'in execution 42 of this workflow, in the output of “Ask with key and signature”';
  expect(report).toEqual(check.report(answers, kept));
  expect(page).toContain('<li><b>API Key</b>');
  expect(page).toContain('execution 42');
  expect(page).not.toContain('undefined');
});

test('marks in templates are text on the page, not tags', () => {
  const requests = check.plan();
  const data = JSON.stringify({ list: [{ id: 1, content: '<name>', param_count: 5 }] });
  const answers = requests.map(() => ({ statusCode: 200, data }));
  const { page } = check.reportInN8n(
    requests.map((json) => ({ json })),
    answers.map((json) => ({ json })),
    '1',
  );
  expect(page).toContain('marked as &lt;name&gt;');
  expect(page).not.toContain('<name>');
});

test('an answer without an item is one that did not come', () => {
  const { rows } = check.reportInN8n(
    check.plan().map((json) => ({ json })),
    [],
    '1',
  );
  expect(rows[0]?.found).toBe('0 of 23 requests were answered; a broken connection (23)');
});
