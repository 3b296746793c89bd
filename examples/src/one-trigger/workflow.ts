import type { IDataObject } from '@n8n/workflow-sdk';

import {
  base,
  choose,
  DOUBT_WORDS,
  everyMinute,
  fields,
  lane,
  only,
  SAYS,
  STOP_WORDS,
  workflow,
} from '../parts';
import type { Node } from '../parts';

/**
 * Another workflow gets all its records of a page at once. If it fails, the others still get theirs.
 *
 * @param chosen what stands there before the user chooses a workflow
 */
const handTo = (name: string, chosen: IDataObject = { mode: 'list', value: '' }): Node =>
  base(
    'executeWorkflow',
    name,
    {
      workflowId: { __rl: true, ...chosen },
      mode: 'once',
      options: { waitForSubWorkflow: true },
    },
    { goOn: true },
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
- *Keywords*: what goes to *Workflow for keywords*. Opt-outs and complaints go there too. Add your own stop words here, too.
- Reports too? Choose a workflow in *Workflow for reports* (*From list*), then add *Delivery Report* in *Reports and replies*.
### 设置
- *Reports and replies*：凭据。
- 每个 *Workflow for …*：选一个由别的工作流调用的工作流，例如处理上行或状态报告的工作流模板。先删掉它自己的触发器，再发布。所有上行都给一个工作流的，选它两次。
- *Keywords*：交给 *Workflow for keywords* 的词。退订和投诉也交给它。自己加的退订词这里也要加。
- 也要状态报告？在 *Workflow for reports* 里选好工作流（*From list*），再在 *Reports and replies* 里加 *Delivery Report*。`,
    more: [
      `### If one fails · 其中一个失败
The others get their records all the same. Then this execution fails, and its records come again, together and then each alone, until none fails. So the others get theirs again: the templates send no second SMS and store no second row, but may mail twice. So should your own workflow.
其他的照常收到，然后这次执行报错，记录会再来（先一起，再一条一条），直到都成功。所以其他工作流会再收到一次：这些模板不会重发短信、不会多存一行，只可能多发一封邮件。您自己的工作流也要能这样。`,
    ],
  },
  lane(
    [],
    [
      everyMinute('Reports and replies', ['reply'], { repeatFailed: true }),
      // Beside the records, which go on as they came.
      fields('Keywords', {
        keyword_words: '1, 2',
        stop_words: STOP_WORDS,
        doubt_words: DOUBT_WORDS,
        says: SAYS,
      }),
    ],
    [
      'Reports and replies',
      choose(
        'Whose is it?',
        {
          Report: "={{ $json.event === 'deliveryReport' }}",
          Keyword:
            "={{ $json.event === 'reply' && Boolean($('Keywords').all()[$itemIndex].json.says) }}",
        },
        'Everything else',
      ),
      // Publishable with no workflow chosen: then reports fail. A node that is not activated would lose them.
      handTo('Workflow for reports', { mode: 'id', value: "={{ '' }}" }),
      base('merge', 'Wait for all', { numberInputs: 3 }),
      only('What went wrong', '={{ Boolean($json.error) }}'),
      base('stopAndError', 'Say so', {
        errorMessage:
          '=A workflow that this one calls has failed, or is not chosen: {{ $json.error }}',
      }),
    ],
    [['Whose is it?', 1], handTo('Workflow for keywords'), ['Wait for all', 0, 1]],
    [['Whose is it?', 2], handTo('Workflow for other replies'), ['Wait for all', 0, 2]],
  ),
);
