import { langOf, sayIn } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import { isEnabled, recordsIn } from '../common/records/service';
import type { Read } from './read-the-table';

const ZH = {
  'Template and signature': '模板和签名',
  '{rows} {rows|row was|rows were} read.': '已读取 {rows} 行。',
  '{hidden} hidden {hidden|row is|rows are} left out.': '{hidden} 行被隐藏或筛选，未导入。',
  Template: '模板',
  Signature: '签名',
  'The one of the template': '模板自带',
  'Show what will happen': '查看发送计划',
} as const;

export type Offered = ReturnType<typeof choices>;

/** The templates and signatures of the account that can be used, by name. */
export default function choices({ $ }: N8n) {
  const say = sayIn(langOf({ query: $('Spreadsheet and name').first().json }), ZH);
  const own = say('The one of the template');
  const idsOf = (said: Item) =>
    Object.fromEntries(
      recordsIn(said.json)
        .filter(isEnabled)
        .map(({ id, name, content }) => [
          `${name} (${id})${content && `: ${content.slice(0, 120)}`}`,
          String(id),
        ]),
    );
  const templates = idsOf($('Templates to choose').first());
  const signatures = { [own]: '', ...idsOf($('Signatures to choose').first()) };
  const list = (fieldName: string, fieldLabel: string, ids: Record<string, string>) => ({
    ...{ fieldName, fieldLabel },
    fieldType: 'dropdown',
    requiredField: true,
    fieldOptions: { values: Object.keys(ids).map((option) => ({ option })) },
  });
  const { rows, hidden } = $('Read the table').first<Read>().json;
  return {
    title: say('Template and signature'),
    description: [
      say('{rows} {rows|row was|rows were} read.', { rows }),
      ...(hidden > 0
        ? [say('{hidden} hidden {hidden|row is|rows are} left out.', { hidden })]
        : []),
    ].join(' '),
    fields: [
      list('template', say('Template'), templates),
      { ...list('signature', say('Signature'), signatures), defaultValue: own },
    ],
    button: say('Show what will happen'),
    /** The IDs by the texts in the lists. */
    templates,
    signatures,
  };
}
