import {
  ONLY_FAILURES,
  base,
  code,
  get,
  insert,
  lane,
  page,
  saidOf,
  show,
  update,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runListOrFile from './list-or-file';
import runPage from './page';
import runStretchesOfRows from './stretches-of-rows';
import runThreeSamples from './three-samples';
import runWhatIsAsked from './what-is-asked';

const pageIsOpened = page('Page is opened', 'sms-campaign');

const campaigns = get('Campaigns', 'sms_campaigns', {}, { always: true, tries: 5 });

const whatIsAsked = code('What is asked', runWhatIsAsked, { once: true });

const firstRow = get(
  'First row',
  'sms_recipients',
  { campaign: "={{ $('What is asked').first().json.reads?.campaign ?? '' }}" },
  { order: 'id', limit: 1, once: true, always: true, tries: 5 },
);

const lastRow = get(
  'Last row',
  'sms_recipients',
  { campaign: "={{ $('What is asked').first().json.reads?.campaign ?? '' }}" },
  { order: 'id desc', limit: 1, once: true, always: true, tries: 5 },
);

const stretchesOfRows = code('Stretches of rows', runStretchesOfRows);

const recipients = get(
  'Recipients',
  'sms_recipients',
  {
    'id >=': '={{ $json.from }}',
    'id <=': '={{ $json.to }}',
    campaign: "={{ $('What is asked').first().json.reads?.campaign ?? '' }}",
  },
  { always: true, tries: 5 },
);

const rules = get('Rules', 'sms_rules', {}, { once: true, always: true, goOn: true });

const figuresOfToday = get(
  'Figures of today',
  'sms_days',
  { day: "={{ $now.toFormat('yyyy-MM-dd') }}" },
  { limit: 1, once: true, always: true, goOn: true },
);

const thresholds = get(
  'Thresholds',
  'sms_thresholds',
  {},
  { once: true, always: true, goOn: true },
);

const oneCampaign = when(
  'One campaign?',
  "={{ !!$('What is asked').first().json.campaign && $('What is asked').first().json.list === '' }}",
  { once: true },
);

const balance = saidOf('Balance', 'balance');

const isItADraft = when(
  'Is it a draft?',
  "={{ ['draft', 'incomplete'].includes($('What is asked').first().json.campaign.state) }}",
  { once: true },
);

const listsBeingLoaded = get(
  'Lists being loaded',
  'sms_tokens',
  {
    page: "={{ 'sms-campaign-load:' + $('What is asked').first().json.campaign.campaign }}",
    'createdAt >=': '={{ $now.minus({ minutes: 10 }).toISO() }}',
  },
  { limit: 1, once: true, always: true, tries: 5 },
);

const optOuts = get('Opt-outs', 'sms_opt_outs', {}, { once: true, always: true, goOn: true });

const templates = saidOf('Templates', 'template');

const threeSamples = code('Three samples', runThreeSamples, { once: true, always: true });

const makeAToken = base(
  'crypto',
  'Make a token',
  { action: 'generate', dataPropertyName: 'token', encodingType: 'uuid' },
  { once: true },
);

const storeTheToken = insert('Store the token', 'sms_tokens', {
  token: '={{ $json.token }}',
  page: "={{ 'sms-campaign:' + $('What is asked').first().json.campaign.id }}",
});

const pageNode = code('Page', runPage, { once: true });

const showThePage = show('Show the page', '={{ $json.page }}', {
  type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
  file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
});

const storeTheFigures = update(
  'Store the figures',
  'sms_campaigns',
  { id: '={{ $json.id }}' },
  { figures: '={{ $json.figures }}' },
  { goOn: true },
);

const listOrFile = code('List or file', runListOrFile, { once: true });

const workflow: DeskWorkflow = {
  name: 'Campaign: page',
  about: `## Campaigns: page · 群发页
The list of campaigns with their figures. Each has a page of its own: a draft shows what will happen before it costs anything; a running campaign its progress, its expected end, and its buttons.
群发列表和数字。每个群发一页：草稿先显示会发生什么，还没有费用；进行中的显示进度、预计结束时间和按钮。`,
  setUp: `## Set up here · 设置
1. Select the login of the page in *Page is opened*. 选网页登录的凭据。
2. Publish it with *SMS · Campaign: buttons*. Times are in the time zone of this workflow's Settings. 和按钮工作流一起发布；时间按本工作流设置的时区。`,
  tryIt: `## Try it · 试一下
Open the address instead of pressing the button: \`…/webhook/sms-campaign\`. 直接打开地址；\`?lang=zh\` 是中文。`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [
        `## A draft · 草稿
Is a list being loaded? Then there is no *Start*. Who opted out, whether the template is still there, and three real texts. Nothing is sent.
名单还在导入就没有“开始发送”。谁退订了、模板还在不在、三条真实短信。不发送。`,
        `## One use · 只用一次
Each page has a token in its buttons. It works once and for its campaign, so a forged, repeated or double click does nothing.
按钮里有令牌，只对本群发有效一次；伪造、重复、连点都没有作用。`,
      ],
      [
        pageIsOpened,
        campaigns,
        whatIsAsked,
        firstRow,
        lastRow,
        stretchesOfRows,
        recipients,
        rules,
        figuresOfToday,
        thresholds,
        oneCampaign,
        balance,
        [isItADraft, 1],
        makeAToken,
        storeTheToken,
        pageNode,
        showThePage,
        storeTheFigures,
      ],
      [isItADraft, listsBeingLoaded, optOuts, templates, threeSamples, makeAToken],
      [[oneCampaign, 1], listOrFile, showThePage],
    ),
  ],
};

export default workflow;
