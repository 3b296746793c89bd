// Draws the bars as two pictures in SVG: a script could not run on the page. Widths are in per cent and
// heights in pixels, so the texts have their size on a phone too.
const TOP = 34;
const HEIGHT = 130;
const BOTTOM = TOP + HEIGHT;
const LABELS = 36;

const figures = $input.first().json;
const { bars, unit, asked } = figures;
// One bar alone would be as wide as the page.
const slots = Math.max(bars.length, 8);

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const short = (amount) => (amount < 10000 ? String(amount) : compact.format(amount));
const percent = (value) => `${((value / slots) * 100).toFixed(2)}%`;
const local = (millis) => DateTime.fromMillis(millis, { zone: asked.zone, locale: 'en' });

const TIME = {
  '5 minutes': 'HH:mm',
  hour: 'HH:mm',
  '6 hours': 'HH:mm',
  month: 'LLL',
  year: 'yyyy',
};
const DATE = { month: 'yyyy', year: '' };
/** Every how many bars have a label: on a wide screen, and on a phone. */
const FEW = bars.length <= 16;
const STEPS = { '5 minutes': FEW ? [1, 4] : [2, 6], hour: [2, 4], '6 hours': [2, 8] };
const [WIDE, NARROW] = STEPS[unit] ?? (bars.length <= 10 ? [1, 2] : [2, 5]);

/** What stands below the bars: times, and a date where one begins. */
function labels() {
  const places = { '5 minutes': 'minute', hour: 'hour', '6 hours': 'hour' };
  const size = { '5 minutes': 5, hour: 1, '6 hours': 6 }[unit] ?? 1;
  let before = '';
  return bars.map(({ from }, index) => {
    const at = local(from);
    // Counted from midnight or the full hour, so that round times have the labels.
    const days = unit === '6 hours' ? 4 * at.ordinal : 0;
    const number = places[unit] ? at[places[unit]] / size + days : index;
    const wide = number % WIDE === 0;
    const narrow = number % NARROW === 0;
    const date = at.toFormat(DATE[unit] ?? 'd LLL');
    const begins = unit === '6 hours' ? at.hour === 0 : date !== before;
    const isNew = date !== '' && begins && (wide || narrow);
    if (isNew) before = date;
    const kind = narrow ? '' : wide ? ' class="wide"' : ' class="never"';
    const x = percent(index + 0.5);
    const hasTime = TIME[unit] && !(isNew && unit === '6 hours');
    const time = hasTime
      ? `<text x="${x}" y="${BOTTOM + 16}">${at.toFormat(TIME[unit])}</text>`
      : '';
    const day = isNew ? `<text x="${x}" y="${BOTTOM + (time ? 30 : 16)}">${date}</text>` : '';
    return `<g${kind}>${time}${day}</g>`;
  });
}

/** The name of a bar: when it was, and its numbers. */
function nameOf({ from, to, sent, reported, delivered, failed }) {
  const start = local(from);
  const hours = ['5 minutes', 'hour', '6 hours'].includes(unit);
  const when = hours
    ? `${start.toFormat('ccc d LLL, HH:mm')} to ${local(to).toFormat('HH:mm')}`
    : `${unit} from ${start.toFormat('d LLL yyyy')}`;
  return `${when}: ${sent} sent, ${reported} reported, ${delivered} delivered, ${failed} failed`;
}

/** The lowest round number that no bar exceeds, in four or five steps. */
function scaleFor(most) {
  const rough = Math.max(most, 4) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) * power);
  const whole = Math.ceil(step);
  return { step: whole, top: whole * Math.max(1, Math.ceil(most / whole)) };
}

function rect(kind, index, width, bottom, height) {
  const x = percent(index + (1 - width) / 2);
  const size = `width="${percent(width)}" height="${height.toFixed(1)}"`;
  return `<rect class="${kind}" x="${x}" y="${(bottom - height).toFixed(1)}" ${size} rx="1"/>`;
}

/** A chart: `draw` gives the shapes of a bar, and the text above it. */
function chart(title, most, draw) {
  const { step, top } = scaleFor(most);
  // A bar of one message in thousands is still to be seen.
  const heightOf = (amount) => (amount === 0 ? 0 : Math.max(3, (amount / top) * HEIGHT));
  const lines = [];
  const numbers = [];
  for (let value = 0; value <= top; value += step) {
    const y = (BOTTOM - (value / top) * HEIGHT).toFixed(1);
    lines.push(`<line x1="0" x2="100%" y1="${y}" y2="${y}"/>`);
    numbers.push(`<text x="100%" y="${Number(y) + 4}">${short(value)}</text>`);
  }
  const shapes = bars.map((bar, index) => {
    const { rects, text, kind, height } = draw(bar, index, heightOf);
    const x = percent(index + 0.5);
    const above =
      text === ''
        ? ''
        : `<text class="count ${kind}" x="${x}" y="${(BOTTOM - height - 6).toFixed(1)}">${text}</text>`;
    const area = rect('area', index, 1, BOTTOM, HEIGHT);
    return `<g><title>${nameOf(bar)}</title>${area}${rects}${above}</g>`;
  });
  const size = `height="${BOTTOM + LABELS}"`;
  return `<div class="chart"><svg class="axis" ${size} aria-hidden="true">${numbers.join('')}</svg>
<svg class="plot" width="100%" ${size} role="img" aria-label="${title}. The table below has its numbers."><g class="grid">${lines.join('')}</g>${shapes.join('')}<g class="labels">${labels().join('')}</g></svg></div>`;
}

const mostOf = (...names) =>
  bars.reduce((most, bar) => Math.max(most, ...names.map((name) => bar[name])), 0);

const traffic = chart(
  'Sent and reported over time',
  mostOf('sent', 'reported'),
  (bar, index, heightOf) => ({
    rects:
      rect('sent', index, 0.78, BOTTOM, heightOf(bar.sent)) +
      rect('reported', index, 0.4, BOTTOM, heightOf(bar.reported)),
    text: bar.sent === 0 ? '' : short(bar.sent),
    kind: '',
    height: heightOf(Math.max(bar.sent, bar.reported)),
  }),
);

const outcome = chart(
  'Delivered and failed over time',
  mostOf('reported'),
  (bar, index, heightOf) => {
    const good = heightOf(bar.delivered);
    const bad = heightOf(bar.failed);
    return {
      rects: rect('good', index, 0.78, BOTTOM, good) + rect('bad', index, 0.78, BOTTOM - good, bad),
      text: bar.failed === 0 ? '' : short(bar.failed),
      kind: 'bad',
      height: good + bad,
    };
  },
);

return [{ json: { ...figures, charts: bars.length === 0 ? undefined : { traffic, outcome } } }];
