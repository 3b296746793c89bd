import { safe } from '../../../builder/code/html';
import { langOf, sayIn } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Campaign } from '../common/messages/campaigns';
import { isEnabled, recordsIn, type ServiceRecord } from '../common/records/service';
import type { Read } from './read-the-table';

const ZH = {
  'Template and signature': '模板和签名',
  '{rows} {rows|row was|rows were} read.': '已读取 {rows} 行。',
  Template: '模板',
  Signature: '签名',
  'The one of the template': '模板自带',
  'Show what will happen': '查看发送计划',
  'Add people to “{campaign}”?': '向“{campaign}”追加收件人？',
  'It has been started, with the template “{template}”. Whoever is new in it gets the message as soon as the list is loaded.':
    '该群发已用模板“{template}”开始发送。名单一导入，新的收件人就会收到短信。',
  'It is paused: they get it when it goes on.': '目前已暂停：继续后才发送。',
  'For another text, or to start later, open the form again, with another name.':
    '要发别的内容，或以后再开始，请换一个名称重新填写表单。',
  'Send to up to {rows} more {rows|person|people}?': '再发给最多 {rows} 人？',
  'Yes, send': '是，发送',
  'Load and send': '导入并发送',
} as const;

/** What a person chooses before the list is loaded. Templates and signatures are IDs by the texts in the lists. */
export interface Offered {
  title: string;
  description: string;
  fields: object[];
  button: string;
  templates: Record<string, string>;
  signatures: Record<string, string>;
}

/**
 * The templates and signatures of the account that can be used, by name. A campaign that was started has both, and
 * sends at once: its form asks for a yes, which is in the place of a template.
 */
export default function choices({ $ }: N8n): Offered {
  const say = sayIn(langOf({ query: $('Spreadsheet and name').first().json }), ZH);
  const { campaign, rows, leftOut, isStarted } = $('Read the table').first<Read>().json;
  const read = [say('{rows} {rows|row was|rows were} read.', { rows }), ...leftOut];
  if (isStarted) {
    const { state, template } = $('Campaign stored before').first<Campaign>().json;
    const templates = { [say('Yes, send')]: '' };
    read.push(
      say(
        'It has been started, with the template “{template}”. Whoever is new in it gets the message as soon as the list is loaded.',
        { template: String(template) },
      ),
      ...(state === 'paused' ? [say('It is paused: they get it when it goes on.')] : []),
      say('For another text, or to start later, open the form again, with another name.'),
    );
    return {
      title: say('Add people to “{campaign}”?', { campaign }),
      description: html(read),
      fields: [
        list(
          'template',
          say('Send to up to {rows} more {rows|person|people}?', { rows }),
          templates,
        ),
      ],
      button: say('Load and send'),
      ...{ templates, signatures: {} },
    };
  }
  const templates = idsOf($('Templates to choose').first());
  const own = say('The one of the template');
  const signatures = { [own]: '', ...idsOf($('Signatures to choose').first()) };
  return {
    title: say('Template and signature'),
    description: html(read),
    fields: [
      list('template', say('Template'), templates),
      { ...list('signature', say('Signature'), signatures), defaultValue: own },
    ],
    button: say('Show what will happen'),
    ...{ templates, signatures },
  };
}

/** n8n reads it as HTML. */
const html = (texts: string[]): string => safe`${texts.join(' ')}`.text;

const idsOf = (said: Item): Record<string, string> =>
  Object.fromEntries(
    recordsIn(said.json)
      .filter(isEnabled)
      .map((each) => [optionOf(each), String(each.id)]),
  );

/** A browser gives back only whole characters as they are, and no line breaks. */
const optionOf = ({ id, name, content }: ServiceRecord): string =>
  `${name} (${id})${content && `: ${[...content].slice(0, 120).join('')}`}`.replace(/\s+/g, ' ');

const list = (fieldName: string, fieldLabel: string, ids: Record<string, string>) => ({
  ...{ fieldName, fieldLabel },
  fieldType: 'dropdown',
  requiredField: true,
  fieldOptions: { values: Object.keys(ids).map((option) => ({ option })) },
});
