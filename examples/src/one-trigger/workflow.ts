import {
  base,
  choose,
  everyMinute,
  fields,
  lane,
  only,
  says,
  STOP_WORDS,
  workflow,
} from '../parts';
import type { Node, Way } from '../parts';

/** Another workflow gets all records of a page at once. If it fails, the others still get theirs. */
const handTo = (name: string, way: Way = {}): Node =>
  base(
    'executeWorkflow',
    name,
    {
      workflowId: { __rl: true, mode: 'list', value: '' },
      mode: 'once',
      options: { waitForSubWorkflow: true },
    },
    { goOn: true, ...way },
  );

export default workflow(
  {
    name: 'One trigger for several workflows',
    about: `## One trigger for several workflows
An account has one trigger for its replies and reports: the trigger of a second workflow is not registered. This workflow has it, and hands each record to the workflow that wants it.

一个账号的上行和状态报告只用一个触发器，第二个工作流的触发器注册不上。这个工作流有触发器，把每条记录交给需要它的工作流。`,
    setUp: `### Set up here
- *Reports and replies*: your credential.
- In each *Workflow for …*: a workflow that starts when it is called, such as the templates for replies and reports. Publish it, with its own trigger deleted. With one workflow for all replies, choose it twice.
- *Keywords*: those that go to *Workflow for keywords*, opt-outs too.
- Reports too? Activate *Workflow for reports* and choose its workflow, then add *Delivery Report* in *Reports and replies*.
### 设置
- *Reports and replies*：凭据。
- 每个 *Workflow for …*：选一个由别的工作流调用的工作流，例如处理上行或状态报告的工作流模板。先删掉它自己的触发器，再发布它。所有上行都给一个工作流的，选它两次。
- *Keywords*：交给 *Workflow for keywords* 的词，退订词也在内。
- 也要状态报告？启用 *Workflow for reports*（选中后按 D），选好工作流，再在 *Reports and replies* 里加 *Delivery Report*。`,
    more: [
      `### If one fails · 其中一个失败
The others get their records all the same. This execution fails at its end, so that your error workflow hears of it. The records do not come again: retry the execution of the workflow that failed.
其他的照常收到。这次执行最后报错，好让您的 Error Workflow 知道。记录不会再来：请重试失败的那个工作流的执行。`,
    ],
  },
  lane(
    [],
    [
      everyMinute('Reports and replies', ['reply']),
      /** Beside the records, which go on as they came. */
      fields('Keywords', { keywords: `1, 2, ${STOP_WORDS}` }),
    ],
    [
      'Reports and replies',
      [
        choose(
          'Report or reply?',
          {
            Report: "={{ $json.event === 'deliveryReport' }}",
            Reply: "={{ $json.event === 'reply' }}",
          },
          'Neither',
        ),
        2,
      ],
      [base('merge', 'Wait for all', { numberInputs: 4 }), 0, 3],
      only(
        'What went wrong',
        "={{ Boolean($json.error) || $json.event === 'unreadable' || ($json.event === 'deliveryReport' && !$('Workflow for reports').params.workflowId.value) }}",
      ),
      base('stopAndError', 'Say so', {
        errorMessage:
          "={{ $json.error ? 'A workflow that this one calls has failed: ' + $json.error : $json.event === 'deliveryReport' ? 'No workflow for reports is chosen. They are in this execution.' : 'The service sent an answer that nobody can read. It is in this execution.' }}",
      }),
    ],
    ['Report or reply?', handTo('Workflow for reports', { disabled: true }), 'Wait for all'],
    [
      ['Report or reply?', 1],
      choose(
        'Which keyword?',
        { Keyword: `={{ ${says('$json.content', "$('Keywords').first().json.keywords")} }}` },
        'Everything else',
      ),
      handTo('Workflow for keywords'),
      ['Wait for all', 0, 1],
    ],
    [['Which keyword?', 1], handTo('Workflow for other replies'), ['Wait for all', 0, 2]],
  ),
);
