import { VERSION } from '../declared';
import {
  ALL_ITEMS,
  ONLY_FAILURES,
  code,
  every,
  lane,
  published,
  runs,
  sms,
  when,
  workflow,
  heartbeat,
} from '../parts';

/** All records of a kind. Without an answer, the workflow goes on. */
const allOf = (name: string, resource: 'template' | 'signature') =>
  sms(
    name,
    { resource, operation: 'getAll', returnAll: true },
    { once: true, always: true, goOn: true },
  );

export default workflow(
  {
    name: 'Service',
    about: `## SMS · Service · 服务
Asks the service for balance, templates and signatures, and writes them into *sms.service*, and the names into *sms.templates*, where they stay. The pages read that and ask nobody, so they come at once also while the service hangs.
查余额、模板和签名，写进 *sms.service*，名称记进 *sms.templates*，一直保留。网页只读这张表，服务商没有响应时也能马上打开。`,
    setUp: `## Set up here · 设置
Select your credential in *Balance*, *All templates* and *All signatures*, and publish it before the pages. 在这三个节点里选凭据，先于各网页发布。`,
    tryIt: `## Try it · 试一下
Press *Execute workflow* from *Every 5 minutes*: the pages show what it says. 从 *Every 5 minutes* 执行：网页显示查到的内容。`,
    settings: ONLY_FAILURES,
  },
  lane(
    `## Every 5 minutes · 每 5 分钟
What has no answer keeps the answer before, with its time. 没有响应的，保留上次的结果和时间。`,
    [published('When published'), heartbeat('Service', 5)],
    [
      'When published',
      sms(
        'Balance',
        { resource: 'balance', operation: 'get' },
        { once: true, always: true, goOn: true },
      ),
    ],
    [every('Every 5 minutes', 5, 'minutes'), 'Heartbeat'],
    [
      'Every 5 minutes',
      'Balance',
      when('Does it answer?', '={{ $json.error === undefined }}', { once: true }),
      allOf('All templates', 'template'),
      allOf('All signatures', 'signature'),
      code('What it said'),
    ],
    [
      ['Does it answer?', 1],
      'What it said',
      runs(
        'Remember what it said',
        {
          query: `SELECT sms.service_store(version => ${VERSION}, said => $1::json)`,
          values: [ALL_ITEMS],
        },
        { once: true },
      ),
    ],
  ),
);
