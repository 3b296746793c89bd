import { langOf, sayIn } from '../../../builder/code/lang';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { isEnabled, recordsIn } from '../common/records/service';
import type { Read } from './read-the-table';

/** What the second page of the form offers. */
export interface Offered {
  title: string;
  description: string;
  fields: Fields[];
  button: string;
  /** The IDs by the texts in the lists. */
  templates: Record<string, string>;
  signatures: Record<string, string>;
}

const ZH = {
  'Template and signature': '模板和签名',
  '{rows} {rows|row was|rows were} read.': '已读取 {rows} 行。',
  '{hidden} hidden {hidden|row is|rows are} left out.': '{hidden} 行被隐藏或筛选，未导入。',
  Template: '模板',
  Signature: '签名',
  'The one of the template': '模板自带',
  'Show what will happen': '查看发送计划',
} as const;

/** The templates and signatures of the account that can be used, by name. */
export default function choices({ $ }: N8n): Item<Offered>[] {
  const say = sayIn(langOf({ query: $('Spreadsheet and name').first().json }), ZH);
  const own = say('The one of the template');
  const said = (what: Fields) => recordsIn(what).filter(isEnabled);
  const templates = Object.fromEntries(
    said($('Templates to choose').first().json).map(({ id, name, content }) => [
      `${String(name)} (${String(id)}): ${String(content).slice(0, 120)}`,
      String(id),
    ]),
  );
  const signatures = {
    [own]: '',
    ...Object.fromEntries(
      said($('Signatures to choose').first().json).map(({ id, name }) => [
        `${String(name)} (${String(id)})`,
        String(id),
      ]),
    ),
  };
  const list = (fieldName: string, fieldLabel: string, options: string[]) => ({
    ...{ fieldName, fieldLabel },
    fieldType: 'dropdown',
    requiredField: true,
    fieldOptions: { values: options.map((option) => ({ option })) },
  });
  const fields = [
    list('template', say('Template'), Object.keys(templates)),
    { ...list('signature', say('Signature'), Object.keys(signatures)), defaultValue: own },
  ];
  const { rows, hidden } = $('Read the table').first<Read>().json;
  const title = say('Template and signature');
  const description = [
    say('{rows} {rows|row was|rows were} read.', { rows }),
    ...(hidden > 0 ? [say('{hidden} hidden {hidden|row is|rows are} left out.', { hidden })] : []),
  ].join(' ');
  const button = say('Show what will happen');
  return [{ json: { title, description, fields, button, templates, signatures } }];
}
