// Writes the tables of the page. Every value is escaped: replies are texts that strangers wrote.
// include html.js

const figures = $input.first().json;
const { asked, tiles, bars, templates, batches, reasons, failures, replies, found } = figures;
const isLong = bars.length > 0 && Date.parse(asked.now) - bars[0].from > 300 * 86400000;
const format = isLong ? 'd LLL yyyy, HH:mm' : 'd LLL, HH:mm';
const at = (millis, seconds = '') =>
  DateTime.fromMillis(millis, { zone: asked.zone, locale: 'en' }).toFormat(format + seconds);
// include numbers.js
const masked = (phone) => String(phone ?? '').replace(/^(.{3}).+(.{4})$/, '$1 •••• $2');
/** A text from outside. `bdi` keeps a text that runs from right to left to itself. */
function text(value) {
  const whole = String(value ?? '');
  return safe`<bdi>${whole.length > 300 ? `${whole.slice(0, 300)}…` : whole}</bdi>`;
}
const withNote = (name, note) =>
  safe`${text(name)}${note ? safe` <small>${text(note)}</small>` : ''}`;
const statusOf = (row) => safe`<b>${text(row.status || 'no status')}</b> ${text(row.status_desc)}`;
function rate({ delivered, reported }) {
  const width = reported === 0 ? 0 : (delivered / reported) * 100;
  return safe`<span class="rate"><i style="width:${width.toFixed(1)}%"></i></span>${share(delivered, reported)}`;
}

/** A head that begins with # has numbers below it. */
const classOf = (head) => (head.startsWith('#') ? safe` class="number"` : '');
function table(heads, lines) {
  const th = heads.map(
    (head) => safe`<th scope="col"${classOf(head)}>${head.replace('#', '')}</th>`,
  );
  const tr = lines.map((cells) => {
    const td = cells.map((cell, index) => safe`<td${classOf(heads[index])}>${cell}</td>`);
    return safe`<tr>${td}</tr>`;
  });
  return safe`<div class="scroll" tabindex="0"><table><thead><tr>${th}</tr></thead><tbody>${tr}</tbody></table></div>`;
}
const panel = (title, content, isShown = true) =>
  isShown ? safe`<section><h2>${title}</h2>${content}</section>` : '';

const RESULT = ['#Sent', '#Failed', '#No report', '#Delivered'];
const resultOf = (line) => [
  number(line.sent),
  number(line.failed),
  number(line.missing),
  rate(line),
];

function tables() {
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

/** What was found for a number. */
function search() {
  const KINDS = { send: 'Sent', deliveryReport: 'Report', reply: 'Reply' };
  const contents = {
    send: (row) => withNote(row.template, row.reference),
    deliveryReport: statusOf,
    reply: (row) => text(row.content),
  };
  const lines = found.map((row) => [
    safe`<span class="id">${at(row.at, ':ss')}</span>`,
    KINDS[row.event],
    contents[row.event](row),
    safe`<span class="id">${text(row.batch_id)}</span>`,
  ]);
  return panel(
    `Messages of ${asked.phone}`,
    table(['Time', 'What', 'Content', 'Batch'], lines),
    lines.length > 0,
  );
}

const amounts = bars.map((bar) => [
  at(bar.from),
  ...['sent', 'reported', 'delivered', 'failed'].map((key) => number(bar[key])),
]);
const numbers = table(['From', '#Sent', '#Reported', '#Delivered', '#Failed'], amounts);

return [
  {
    json: {
      ...figures,
      tables: tables().text,
      search: textOf(search()),
      numbers: numbers.text,
    },
  },
];
