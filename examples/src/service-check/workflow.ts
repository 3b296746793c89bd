import { base, code, lane, sms, when, workflow } from '../parts';

/** Asks once, and hands on the answer or the error: both say something about the service. */
const ask = (name: string, resource: string, parameters: object) =>
  sms(name, { resource, ...parameters }, { once: true, always: true, goOn: true });

const FIRST_PAGE = { operation: 'getAll', limit: 20 };
const ONE = { operation: 'pull', count: 1 };

const choice = (fieldLabel: string, ...options: string[]) => ({
  fieldLabel,
  fieldType: 'dropdown',
  fieldOptions: { values: options.map((option) => ({ option })) },
});

export default workflow(
  {
    name: 'Service check',
    about: `## Service check
What works with your SMS provider, and what do you have to set where? The node's own operations ask for the balance and the lists. What fails says in its error what to set, and a page shows it all, in English or Chinese.

This changes nothing and costs nothing, unless you choose *Pull too*: that takes one delivery report and one reply out of the service. They stay in the execution, as the records of the lists do: delete it when you are done. The page has only HTTP statuses, codes, counts, and the first words of a code that was taken for an empty queue.

检测服务商的接口：哪些能用，哪些要改设置。只查询，不改动，不收费；只有选了 *Pull too* 才会取走一条状态报告和一条上行。取到的内容留在执行记录里，看完请删除。结果网页有中文，只显示 HTTP 状态、返回码、数量，和被当作“没有数据”的返回码的开头几个字。`,
    setUp: `### Set up here · 设置
Select your credential in *Get the balance*. n8n puts it into the other nodes too.
在 *Get the balance* 里选凭据，n8n 会带到其他节点。`,
    tryIt: `### Try it · 试一下
Press **Execute workflow**, and enter the credential's Base URL in the form. There is no need to publish.
点 **Execute workflow**，在表单里填凭据的 Base URL。不用发布。`,
    more: [
      `### Paths known by name only · 只知道名称的路径
The specification does not show the paths of some operations. They are asked without key and signature, so the service rejects them. Does it do so as at a path that exists, or as at one that does not?
接口文档没有给出一部分操作的路径。不带 key 和请求签名去问，服务会拒绝：看它像存在的路径，还是不存在的路径。`,
    ],
  },
  lane(
    [],
    [
      base(
        'formTrigger',
        'First contact',
        {
          formTitle: 'Check of the SMS service',
          formDescription: `Asks only what changes nothing and costs nothing, unless you choose to pull. It takes about ten seconds.
只查询，不更改数据，不产生费用（Pull too 选 Yes 除外）。大约需要十秒。`,
          formFields: {
            values: [
              {
                fieldLabel: 'Base URL',
                placeholder: 'e.g. https://sms.example.com',
                requiredField: true,
              },
              choice('Pull too', 'No', 'Yes, take one delivery report and one reply'),
              choice('Language', 'English', '中文'),
            ],
          },
          options: { path: 'sms-service-check', buttonLabel: 'Check' },
        },
        { version: 2.6 },
      ),
      ask('Get the balance', 'balance', { operation: 'get' }),
      ask('List qualifications', 'qualification', FIRST_PAGE),
      ask('List templates', 'template', FIRST_PAGE),
      ask('List reported links', 'lead', FIRST_PAGE),
      ask('List signatures', 'signature', FIRST_PAGE),
      code('Paths known by name only'),
      base(
        'httpRequest',
        'Ask without key',
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
        { goOn: true },
      ),
      code('Which paths exist'),
      [
        when(
          'Pull too?',
          "={{ $('First contact').first().json['Pull too']?.startsWith('Yes') ?? false }}",
        ),
        1,
      ],
      code('Report'),
      code('Page with the report'),
      base('form', 'Page', {
        operation: 'completion',
        respondWith: 'showText',
        responseText: '={{ $json.page }}',
      }),
    ],
    [
      'Pull too?',
      ask('Pull a delivery report', 'deliveryReport', ONE),
      ask('Pull a reply', 'reply', ONE),
      'Report',
    ],
  ),
);
