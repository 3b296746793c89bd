import type { Campaign } from '../common/messages/campaigns';
import { langOf, sayIn } from '../../../builder/code/lang';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { text } from '../common/messages/outbox';
import { isEnabled, recordsIn } from '../common/records/service';
import { NOT_READ_ZH, NotRead } from './not-read';
import { fileOf } from './sheets';
import { tableIn, type Table } from './table';

const ZH = {
  ...NOT_READ_ZH,
  'Nothing was loaded': '没有导入',
  'Open the form again': '重新打开表单',
  'The campaign has no name.': '请填写群发名称。',
  '“{campaign}” was stopped. Choose another name.': '“{campaign}”已停止，请换一个名称。',
  'There is no template to choose: none is approved and enabled, or “SMS · Service” is not published or gets no answer. See the status page.':
    '没有可选的模板：没有已通过审核并启用的模板，或“SMS · Service”未发布，或服务没有应答。请查看状态页。',
} as const;

/** A list of recipients, or why there is none. */
export type Read = ReturnType<typeof readTheTable>;

export default function readTheTable({ $ }: N8n) {
  const form = $('Spreadsheet and name').first<Fields>().json;
  const campaign = text(form.name).slice(0, 100);
  const stored = $('Campaign stored before').first<Partial<Campaign>>().json;
  const say = sayIn(langOf({ query: form }), ZH);
  const nothing = {
    campaign,
    /** The recipients, and the line of each in the file, as JSON: n8n stores it while the form waits. */
    list: '',
    rows: 0,
    /** What of the file was left out. */
    leftOut: [] as string[],
    title: say('Nothing was loaded'),
    again: say('Open the form again'),
    problem: '',
    /** Somebody has started the campaign. */
    isStarted: stored.id !== undefined && !['draft', 'incomplete'].includes(String(stored.state)),
  };
  const not = (problem: string) => ({ ...nothing, problem });
  if (campaign === '') return not(say('The campaign has no name.'));
  if (stored.state === 'stopped') {
    return not(say('“{campaign}” was stopped. Choose another name.', { campaign }));
  }
  if (!nothing.isStarted && !recordsIn($('Templates to choose').first().json).some(isEnabled)) {
    return not(
      say(
        'There is no template to choose: none is approved and enabled, or “SMS · Service” is not published or gets no answer. See the status page.',
      ),
    );
  }
  try {
    const { file = '' } = $('Take the file').first<{ file?: string }>().json;
    const table = tableIn(fileOf(Uint8Array.from(atob(file), (sign) => sign.charCodeAt(0))));
    const leftOut = table.leftOut.map((each) => say(...each));
    return { ...nothing, list: JSON.stringify(listOf(table)), rows: table.rows.length, leftOut };
  } catch (error) {
    if (error instanceof NotRead) {
      const { text, values, leftOut } = error;
      return not([say(text, values), ...leftOut.map((each) => say(...each))].join(' '));
    }
    throw error;
  }
}

function listOf({ names, phone, rows }: Table) {
  const columns = names.map((name, index) => ({ name, index }));
  const others = columns.filter(({ name, index }) => name !== '' && index !== phone);
  const recipients = rows.map(({ cells }) => ({
    ...Object.fromEntries(others.map(({ name, index }) => [name, cells[index] ?? ''])),
    phone: cells[phone] ?? '',
  }));
  return { recipients, lines: rows.map(({ line }) => line) };
}
