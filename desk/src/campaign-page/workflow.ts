import {
  ONLY_FAILURES,
  base,
  code,
  get,
  insert,
  lane,
  look,
  page,
  rulesInForce,
  runs,
  saidOf,
  show,
  unless,
  when,
  workflow,
} from '../parts';
import { countsOf, countsOfAll, optedOutOf } from '../counts';
import { MOST } from './most';

const CAMPAIGN = "$('What is asked').first().json.campaign?.campaign ?? ''";
const OF_A_DRAFT = "$('What is asked').first().json.isDraft";

const oneRow = (name: string, order: 'id' | 'id desc') =>
  get(
    name,
    'sms.recipients',
    { campaign: `={{ ${CAMPAIGN} }}` },
    { order, limit: 1, once: true, always: true, tries: 5 },
  );

export default workflow(
  {
    name: 'Campaign: page',
    about: `## Campaigns: page · 群发页
The list of campaigns with their figures. Each has a page of its own: a draft shows what will happen before it costs anything; a running campaign its progress, its expected end, and its buttons.
列出所有群发和数字。每个群发有自己的一页：草稿先显示会发生什么，还没有费用；进行中的显示进度、预计结束时间和按钮。`,
    setUp: `## Set up here · 设置
1. Select the login of the page in *Page is opened*. 选网页登录的凭据。
2. Publish it with *SMS · Campaign: buttons*. Times are in the time zone of this workflow's Settings. 和 *SMS · Campaign: buttons* 一起发布；时间按本工作流 Settings（设置）里的时区。`,
    tryIt: `## Try it · 试一下
Open the address instead of pressing the button: \`…/webhook/sms-campaign\`. 不点按钮，直接打开这个地址；加 \`?lang=zh\` 就是中文。`,
    settings: ONLY_FAILURES,
  },
  lane(
    [
      `## A draft · 草稿
Is a list being loaded? Then there is no *Start*. Who opted out, whether the template is still there, and three real texts. Nothing is sent.
名单还在导入时没有“开始发送”。显示多少人退订了、模板还能不能用、三条真实短信。不发送。`,
      `## Counts, not rows · 只读计数
Triggers of *sms.recipients* keep the counts, so a page reads few rows, however large a campaign is.
由 *sms.recipients* 的触发器计数；无论群发多大，网页只读几行。`,
      `## One use · 只用一次
Each page has a token in its buttons. It works once and for its campaign, so a forged, repeated or double click does nothing.
按钮里有令牌，只对本群发有效一次；伪造、重复、连点都没有作用。`,
    ],
    [
      page('Page is opened', 'sms-campaign'),
      get('Campaigns', 'sms.campaigns', {}, { always: true, tries: 5 }),
      code('What is asked', { once: true }),
      unless('Is a file wanted?', "={{ !!$json.campaign && $json.list !== '' }}"),
      look('Thresholds', 'sms.thresholds'),
      rulesInForce('Rules'),
      look(
        'Figures of today',
        'sms.days',
        { day: "={{ $now.toFormat('yyyy-MM-dd') }}" },
        { limit: 1 },
      ),
      when('One campaign?', "={{ !!$('What is asked').first().json.campaign }}", { once: true }),
      runs('Opt-outs', optedOutOf(`${OF_A_DRAFT} ? ${CAMPAIGN} : ''`), {
        ...{ once: true, always: true, goOn: true, tries: 3 },
      }),
      runs('Counts', countsOf(CAMPAIGN), { once: true, always: true, tries: 5 }),
      saidOf('Balance', 'balance'),
      unless('Is it a draft?', `={{ ${OF_A_DRAFT} }}`, { once: true }),
      base(
        'crypto',
        'Make a token',
        { action: 'generate', dataPropertyName: 'token', encodingType: 'uuid' },
        { once: true },
      ),
      insert('Store the token', 'sms.tokens', {
        token: '={{ $json.token }}',
        page: "={{ 'sms-campaign:' + $('What is asked').first().json.campaign.id }}",
      }),
      code('Page', { once: true }),
      show('Show the page', '={{ $json.page }}', {
        type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
        file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
      }),
    ],
    [
      'Is it a draft?',
      get(
        'Lists being loaded',
        'sms.tokens',
        {
          page: "={{ 'load:' + $('What is asked').first().json.campaign.campaign }}",
          'createdAt >=': '={{ $now.minus({ minutes: 10 }).toISO() }}',
        },
        { order: 'id desc', limit: 1, once: true, always: true, tries: 5 },
      ),
      saidOf('Templates', 'template'),
      oneRow('First row', 'id'),
      oneRow('Last row', 'id desc'),
      code('Where to look', { once: true }),
      get(
        'Samples',
        'sms.recipients',
        { campaign: `={{ ${CAMPAIGN} }}`, status: 'pending', 'id >=': '={{ $json.from }}' },
        { order: 'id', limit: 1, always: true },
      ),
      code('Three samples', { always: true }),
      'Make a token',
    ],
    [
      'Is a file wanted?',
      code('Statuses of the file'),
      get(
        'Rows of the file',
        'sms.recipients',
        {
          campaign: "={{ $('What is asked').first().json.campaign.campaign }}",
          status: '={{ $json.status }}',
        },
        {
          ...{ always: true, tries: 5, packed: true },
          gives: ['id', 'line', 'phone_number', 'parameters', 'status', 'reason'],
        },
      ),
      code('File'),
      'Show the page',
    ],
    [
      ['One campaign?', 1],
      runs('Counts of all', countsOfAll(MOST), { once: true, always: true, tries: 5 }),
      code('List', { once: true }),
      'Show the page',
    ],
  ),
);
