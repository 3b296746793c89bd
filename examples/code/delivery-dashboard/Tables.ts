import { safe, textOf, type Markup } from '../html';
import type { Item, N8n } from '../n8n';
import { number, share } from '../numbers';
import type { Row, TemplateLine } from './Figures';
import type { Styled } from './Looks';

/** What is shown, with the tables as markup. */
export type WithTables = Styled & { tables: string; search: string; numbers: string };

type Content = Markup | string;

function masked(phone: unknown): string {
  return String(phone ?? '').replace(/^(.{3}).+(.{4})$/, '$1 •••• $2');
}

/** A text from outside. `bdi` keeps a text that runs from right to left to itself. */
function text(value: unknown): Markup {
  const whole = String(value ?? '');
  return safe`<bdi>${whole.length > 300 ? `${whole.slice(0, 300)}…` : whole}</bdi>`;
}

function withNote(name: unknown, note: unknown): Markup {
  return safe`${text(name)}${note ? safe` <small>${text(note)}</small>` : ''}`;
}

function statusOf({ status, status_desc }: Pick<Row, 'status' | 'status_desc'>): Markup {
  return safe`<b>${text(status || 'no status')}</b> ${text(status_desc)}`;
}

/** A head that begins with # has numbers below it. */
function classOf(head = ''): Content {
  return head.startsWith('#') ? safe` class="number"` : '';
}

function table(heads: string[], lines: Content[][]): Markup {
  const th = heads.map(
    (head) => safe`<th scope="col"${classOf(head)}>${head.replace('#', '')}</th>`,
  );
  const tr = lines.map((cells) => {
    const td = cells.map((cell, index) => safe`<td${classOf(heads[index])}>${cell}</td>`);
    return safe`<tr>${td}</tr>`;
  });
  return safe`<div class="scroll" tabindex="0"><table><thead><tr>${th}</tr></thead><tbody>${tr}</tbody></table></div>`;
}

function panel(title: string, content: Content, isShown: boolean): Content {
  return isShown ? safe`<section><h2>${title}</h2>${content}</section>` : '';
}

const RESULT = ['#Sent', '#Failed', '#No report', '#Delivered'];

type Result = Pick<TemplateLine, 'sent' | 'failed' | 'missing' | 'delivered' | 'reported'>;

function rate({ delivered, reported }: Result): Markup {
  const width = reported === 0 ? 0 : (delivered / reported) * 100;
  return safe`<span class="rate"><i style="width:${width.toFixed(1)}%"></i></span>${share(delivered, reported)}`;
}

function resultOf(line: Result): Content[] {
  return [number(line.sent), number(line.failed), number(line.missing), rate(line)];
}

type Time = (millis: number, seconds?: string) => string;

function tables(shown: Styled, at: Time): Markup {
  const { tiles, templates, batches, reasons, failures, replies } = shown;
  const byTemplate = templates.map((line) => [
    withNote(line.template || '(no name)', line.source),
    ...resultOf(line),
  ]);
  const byBatch = batches.map((line) => [
    safe`<span class="id">${text(line.batch)}</span> <small>${text(line.template)} · ${at(line.at)}</small>`,
    ...resultOf(line),
  ]);
  const why = reasons.map((line) => [
    statusOf({ status: line.status, status_desc: line.text }),
    number(line.amount),
    share(line.amount, tiles.failed),
  ]);
  const latest = failures.map((row) => [
    safe`<span class="id">${at(row.at)}</span> <small class="id">${masked(row.phone_number)}</small>`,
    statusOf(row),
    safe`<span class="id">${text(row.batch_id)}</span> <small>${text(row.template)}</small>`,
  ]);
  const said = replies.map(
    (row) =>
      safe`<li><p>${text(row.content)}</p><small>${masked(row.phone_number)} · ${at(row.at)}</small></li>`,
  );
  const left = [
    panel('By template', table(['Template', ...RESULT], byTemplate), templates.length > 0),
    panel('Why messages failed', table(['Status', '#Messages', '#Of failed'], why), why.length > 0),
    panel('Latest replies', safe`<ul>${said}</ul>`, said.length > 0),
  ];
  const right = [
    panel('Latest batches', table(['Batch', ...RESULT], byBatch), batches.length > 0),
    panel('Latest failures', table(['Time', 'Status', 'Batch'], latest), latest.length > 0),
  ];
  return safe`<div>${left}</div><div>${right}</div>`;
}

const KINDS: Record<string, { name: string; content: (row: Row) => Content }> = {
  send: { name: 'Sent', content: (row) => withNote(row.template, row.reference) },
  deliveryReport: { name: 'Report', content: statusOf },
  reply: { name: 'Reply', content: (row) => text(row.content) },
};

/** What was found for a number. */
function search({ found, asked }: Styled, at: Time): Content {
  const lines = found.map((row) => {
    const { name, content } = KINDS[row.event ?? ''] ?? { name: '', content: () => '' };
    const time = safe`<span class="id">${at(row.at, ':ss')}</span>`;
    return [time, name, content(row), safe`<span class="id">${text(row.batch_id)}</span>`];
  });
  const content = table(['Time', 'What', 'Content', 'Batch'], lines);
  return panel(`Messages of ${asked.phone}`, content, lines.length > 0);
}

/** The numbers of the charts. */
function numbers({ bars }: Styled, at: Time): Markup {
  const lines = bars.map(({ from, sent, reported, delivered, failed }) => [
    at(from),
    ...[sent, reported, delivered, failed].map(number),
  ]);
  return table(['From', '#Sent', '#Reported', '#Delivered', '#Failed'], lines);
}

/** Writes the tables of the page. Every value is escaped: replies are texts that strangers wrote. */
export default function writeTables({ $input, DateTime }: N8n): Item<WithTables>[] {
  const shown = $input.first<Styled>().json;
  const { asked, bars } = shown;
  const isLong = Date.parse(asked.now) - Number(bars[0]?.from) > 300 * 86400000;
  const format = isLong ? 'd LLL yyyy, HH:mm' : 'd LLL, HH:mm';
  const at: Time = (millis, seconds = '') =>
    DateTime.fromMillis(millis, { zone: asked.zone, locale: 'en' }).toFormat(format + seconds);
  return [
    {
      json: {
        ...shown,
        tables: tables(shown, at).text,
        search: textOf(search(shown, at)),
        numbers: numbers(shown, at).text,
      },
    },
  ];
}
