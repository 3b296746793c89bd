import { base, code, lane, MAY_RUN, sms, workflow } from '../parts';

/** Asks once, and hands on the answer or the error: both say something about the service. */
const ask = (name: string, resource: string, parameters: object) =>
  sms(name, { resource, ...parameters }, { once: true, always: true, goOn: true });

const FIRST_PAGE = { operation: 'getAll', limit: 20 };

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

This changes nothing, costs nothing, and takes nothing out of the service. The records of the lists stay in the execution: delete it when you are done. The page has only HTTP statuses, codes and counts.

检测服务商的接口：哪些能用，哪些要改设置。只查询，不改动，不收费，也不取走状态报告和上行。列表的内容留在执行记录里，看完请删除。结果网页有中文，只显示 HTTP 状态、返回码和数量。`,
    setUp: `### Set up here · 设置
Select your credential in *Get the balance*. n8n puts it into the other nodes too.
在 *Get the balance* 里选凭据，n8n 会带到其他节点。`,
    tryIt: `### Try it · 试一下
Press **Execute workflow**, and enter the credential's Base URL in the form. There is no need to publish. The form asks for a user of n8n who may run this workflow.
点 **Execute workflow**，在表单里填凭据的 Base URL。不用发布。只有能运行本工作流的 n8n 用户才能打开表单。`,
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
          ...MAY_RUN,
          formTitle: 'Check of the SMS service',
          formDescription: `Asks only what changes nothing, costs nothing and takes nothing away. It takes about ten seconds.
只查询，不更改数据，不产生费用，也不取走数据。大约需要十秒。`,
          formFields: {
            values: [
              {
                fieldLabel: 'Base URL',
                placeholder: 'e.g. https://sms.example.com',
                requiredField: true,
              },
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
      code('Report'),
      code('Page with the report'),
      base('form', 'Page', {
        operation: 'completion',
        respondWith: 'showText',
        responseText: '={{ $json.page }}',
      }),
    ],
  ),
);
