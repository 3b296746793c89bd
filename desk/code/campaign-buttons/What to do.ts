import { given, langOf, sayIn, type Request } from '../lang';
import { pageOf } from '../look';
import { safe } from '../html';
import type { Item, N8n } from '../n8n';

const ZH = {
  'This click did nothing: the page was used before, or is outdated.':
    '这次点击没有执行任何操作：此页面已使用过或已过期。',
  'Load the page again': '重新打开页面',
  'Not done': '未执行',
} as const;

/** From which states a button leads to which. Stopped and done are the end. */
const CHANGES = new Map([
  ['start', { from: ['draft'], to: 'running' }],
  ['pause', { from: ['running'], to: 'paused' }],
  // Of a running campaign, it ends the pause after faults.
  ['resume', { from: ['paused', 'running'], to: 'running' }],
  ['stop', { from: ['running', 'paused'], to: 'stopped' }],
]);

/** A change of a campaign. It happens only if the campaign is as the press wants it. */
interface Change {
  from: string;
  to: string;
  /** A start wants the campaign as its page has shown it: with no list loaded since. */
  condition: 'eq' | 'isNotEmpty';
  loaded: string;
}

function changesOf(action: string, loaded: string): Change[] {
  const { from = [], to = '' } = CHANGES.get(action) ?? {};
  const isStart = action === 'start';
  if (isStart && Number.isNaN(Date.parse(loaded))) return [];
  const wants = isStart
    ? { condition: 'eq' as const, loaded }
    : { condition: 'isNotEmpty' as const, loaded: '' };
  return from.map((each) => ({ from: each, to, ...wants }));
}

/** What a button does, if its page has not been used before. */
export default function whatToDo({ $, $now }: N8n): Item[] {
  const request = $('Button is pressed').first<Request>().json;
  const { body } = request;
  const [action, id, token] = ['action', 'campaign', 'token'].map((name) => given(body, name));
  const campaign = Number(/^\d{1,15}$/.exec(id ?? '')?.[0] ?? 0);
  const asks = given(body, 'lang');
  const address = `sms-campaign?campaign=${campaign}${/^(en|zh)$/.test(asks) ? `&lang=${asks}` : ''}`;
  const isValid = $('Use the token').first<{ token?: string }>().json.token !== undefined;
  const shared = { campaign, address };
  if (isValid && campaign > 0) {
    const changes = changesOf(action ?? '', given(body, 'loaded'));
    if (changes.length > 0) {
      return changes.map((change) => ({ json: { ...shared, kind: 'change', ...change } }));
    }
    if (action === 'test') {
      return [{ json: { ...shared, kind: 'test', token, phone: given(body, 'phone') } }];
    }
    if (action === 'again') return [{ json: { ...shared, kind: 'again' } }];
  }
  const lang = langOf({ ...request, query: { lang: asks } });
  const say = sayIn(lang, ZH);
  const content = safe`<p class="notice">${say('This click did nothing: the page was used before, or is outdated.')} <a href="${address}">${say('Load the page again')}</a></p>`;
  const frame = { here: 'sms-campaign', title: say('Not done'), lang, now: $now } as const;
  return [{ json: { ...shared, kind: 'outdated', page: pageOf(frame, content) } }];
}
