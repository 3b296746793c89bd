import type { Template } from './build';
import { bundle } from '../../builder/bundle';
import { base, isTrue, note, sms } from '../../builder/parts';

const FOLDER = 'service-check';

const column = (index: number, y = 0): [number, number] => [index * 220, y];

/** A Code node, whose code is a module of the folder. */
function code(name: string, module: string, position: [number, number]) {
  const [jsCode] = bundle([`examples/src/${FOLDER}/${module}.ts`]).values();
  return base('code', name, position, { jsCode });
}

/** Asks once, and hands on the answer or the error: both say something about the service. */
const ask = (name: string, position: [number, number], resource: string, parameters: object) =>
  sms(
    name,
    position,
    { resource, ...parameters },
    { executeOnce: true, alwaysOutputData: true, onError: 'continueRegularOutput' },
  );

const FIRST_PAGE = { operation: 'getAll', limit: 20 };
const ONE = { operation: 'pull', count: 1 };

const choice = (fieldLabel: string, ...options: string[]) => ({
  fieldLabel,
  fieldType: 'dropdown',
  fieldOptions: { values: options.map((option) => ({ option })) },
});

const form = base('formTrigger', 'First contact', column(0), {
  formTitle: 'Check of the SMS service',
  formDescription: `Asks only what changes nothing and costs nothing, unless you choose to pull. It takes about ten seconds.
只查询，不更改数据，不产生费用（Pull too 选 Yes 除外）。大约需要十秒。`,
  formFields: {
    values: [
      { fieldLabel: 'Base URL', placeholder: 'e.g. https://sms.example.com', requiredField: true },
      choice('Pull too', 'No', 'Yes, take one delivery report and one reply'),
      choice('Language', 'English', '中文'),
    ],
  },
  options: { path: 'sms-service-check', buttonLabel: 'Check' },
});

const lists = [
  ask('Get the balance', column(1), 'balance', { operation: 'get' }),
  ask('List qualifications', column(2), 'qualification', FIRST_PAGE),
  ask('List templates', column(3), 'template', FIRST_PAGE),
  ask('List reported links', column(4), 'lead', FIRST_PAGE),
  ask('List signatures', column(5), 'signature', FIRST_PAGE),
];

const paths = code('Paths known by name only', 'paths-known-by-name-only', column(6));

const withoutKey = base(
  'httpRequest',
  'Ask without key',
  column(7),
  {
    method: 'POST',
    url: '={{ $json.url }}',
    sendBody: true,
    specifyBody: 'json',
    jsonBody: '{}',
    options: {
      batching: { batch: { batchSize: 1, batchInterval: 200 } },
      redirect: { redirect: { followRedirects: false } },
      response: {
        response: {
          fullResponse: true,
          neverError: true,
          responseFormat: 'text',
          outputPropertyName: 'data',
        },
      },
      timeout: 15_000,
    },
  },
  { onError: 'continueRegularOutput' },
);

const exist = code('Which paths exist', 'which-paths-exist', column(8));

const pulls = base('if', 'Pull too?', column(9), {
  conditions: isTrue(
    "={{ $('First contact').first().json['Pull too']?.startsWith('Yes') ?? false }}",
  ),
  options: {},
});

const report = ask('Pull a delivery report', column(10, -140), 'deliveryReport', ONE);
const reply = ask('Pull a reply', column(11, -140), 'reply', ONE);

const result = code('Report', 'report', column(12));
const makePage = code('Page with the report', 'page-with-the-report', column(13));

const page = base('form', 'Page', column(14), {
  operation: 'completion',
  respondWith: 'showText',
  responseText: '={{ $json.page }}',
});

const inARow = [form, ...lists, paths, withoutKey, exist];

const template: Template = {
  name: 'Service check',
  notes: [
    note(
      'about',
      -80,
      { above: -40 },
      620,
      `## Service check
What works with your SMS provider, and what do you have to set where? The node's own operations ask for the balance and the lists. What fails says in its error what to set, and a page shows it all, in English or Chinese.
This changes nothing and costs nothing, unless you choose *Pull too*: that takes one delivery report and one reply out of the service. They stay in the execution.
The page shows nothing of what the service says but HTTP statuses, codes and counts, and the first words of a code that was taken for an empty queue. The execution keeps the records of the lists. Delete it when you are done.
检测短信服务：只查询，不收费，页面告诉您要设置什么。`,
    ),
    note(
      'set up',
      560,
      { above: -200 },
      300,
      `### Set up here
Select your credential in *Get the balance*. n8n puts it into the other nodes too.`,
    ),
    note(
      'try',
      560,
      { above: -40 },
      300,
      `### Try it
Press **Execute workflow**, and enter the credential's Base URL in the form. There is no need to publish.`,
    ),
    note(
      'more',
      1300,
      { above: -60 },
      620,
      `### Paths known by name only
The specification does not show the paths of some operations. They are asked without key and signature, so the service refuses: is it like at a path that exists, or like at one that does not?`,
    ),
  ],
  lines: [
    ...inARow.map((from, index): Template['lines'][number] => [from, inARow[index + 1] ?? pulls]),
    [pulls, report],
    [pulls, result, 1],
    [report, reply],
    [reply, result],
    [result, makePage],
    [makePage, page],
  ],
};

export default template;
