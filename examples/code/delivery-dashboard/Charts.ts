import type { Item, N8n } from '../n8n';
import type { Bar, Shown } from './Figures';

/** What is shown, with the pictures of the bars. */
export type Drawn = Shown & { charts?: { traffic: string; outcome: string } };

const TOP = 34;
const HEIGHT = 130;
const BOTTOM = TOP + HEIGHT;
const LABELS = 36;

/** Units of less than a day: the field of a time that counts them, how many one has, and its labels. */
const SHORT: Record<string, { place: 'minute' | 'hour'; size: number; labels: Labels }> = {
  '5 minutes': { place: 'minute', size: 5, labels: [2, 6] },
  hour: { place: 'hour', size: 1, labels: [2, 4] },
  '6 hours': { place: 'hour', size: 6, labels: [2, 8] },
};
const TIMES: Record<string, string> = { month: 'LLL', year: 'yyyy' };
const DATES: Record<string, string> = { month: 'yyyy', year: '' };

/** Every how many bars have a label: on a wide screen, and on a phone. */
type Labels = readonly [wide: number, narrow: number];

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function short(amount: number): string {
  return amount < 10000 ? String(amount) : compact.format(amount);
}

function labelsOf(unit: string, count: number): Labels {
  if (unit === '5 minutes' && count <= 16) return [1, 4];
  return SHORT[unit]?.labels ?? (count <= 10 ? [1, 2] : [2, 5]);
}

/** The lowest round number that no bar exceeds, in four or five steps. */
function scaleFor(most: number): { step: number; top: number } {
  const rough = Math.max(most, 4) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 2.5, 5].find((each) => each * power >= rough) ?? 10;
  const step = Math.ceil(Math.max(1, round * power));
  return { step, top: step * Math.max(1, Math.ceil(most / step)) };
}

/** The shapes of a bar, the text above it, and how high they are. */
interface Shapes {
  rects: string;
  text: string;
  kind: string;
  height: number;
}

type HeightOf = (amount: number) => number;

/**
 * Draws the bars as two pictures in SVG: a script could not run on the page. Widths are in per cent and
 * heights in pixels, so the texts have their size on a phone too.
 */
export default function draw({ $input, DateTime }: N8n): Item<Drawn>[] {
  const figures = $input.first<Shown>().json;
  const { bars, unit, asked } = figures;
  // One bar alone would be as wide as the page.
  const slots = Math.max(bars.length, 8);
  const percent = (value: number) => `${((value / slots) * 100).toFixed(2)}%`;
  const local = (millis: number) => DateTime.fromMillis(millis, { zone: asked.zone, locale: 'en' });

  /** What stands below the bars: times, and a date where one begins. */
  function labels(): string {
    const [wideStep, narrowStep] = labelsOf(unit, bars.length);
    const hours = SHORT[unit];
    const format = hours ? 'HH:mm' : TIMES[unit];
    let before = '';
    const texts = bars.map(({ from }, index) => {
      const at = local(from);
      // Counted from midnight or the full hour, so that round times have the labels.
      const days = unit === '6 hours' ? 4 * at.ordinal : 0;
      const number = hours ? at[hours.place] / hours.size + days : index;
      const wide = number % wideStep === 0;
      const narrow = number % narrowStep === 0;
      const date = at.toFormat(DATES[unit] ?? 'd LLL');
      const begins = unit === '6 hours' ? at.hour === 0 : date !== before;
      const isNew = date !== '' && begins && (wide || narrow);
      if (isNew) before = date;
      const kind = narrow ? '' : wide ? ' class="wide"' : ' class="never"';
      const x = percent(index + 0.5);
      const hasTime = format && !(isNew && unit === '6 hours');
      const time = hasTime ? `<text x="${x}" y="${BOTTOM + 16}">${at.toFormat(format)}</text>` : '';
      const day = isNew ? `<text x="${x}" y="${BOTTOM + (time ? 30 : 16)}">${date}</text>` : '';
      return `<g${kind}>${time}${day}</g>`;
    });
    return texts.join('');
  }

  /** The name of a bar: when it was, and its numbers. */
  function nameOf({ from, to, sent, reported, delivered, failed }: Bar): string {
    const start = local(from);
    const when = SHORT[unit]
      ? `${start.toFormat('ccc d LLL, HH:mm')} to ${local(to).toFormat('HH:mm')}`
      : `${unit} from ${start.toFormat('d LLL yyyy')}`;
    return `${when}: ${sent} sent, ${reported} reported, ${delivered} delivered, ${failed} failed`;
  }

  function rect(kind: string, index: number, width: number, bottom: number, height: number) {
    const x = percent(index + (1 - width) / 2);
    const size = `width="${percent(width)}" height="${height.toFixed(1)}"`;
    return `<rect class="${kind}" x="${x}" y="${(bottom - height).toFixed(1)}" ${size} rx="1"/>`;
  }

  function chart(
    title: string,
    most: number,
    shapesOf: (bar: Bar, index: number, heightOf: HeightOf) => Shapes,
  ): string {
    const { step, top } = scaleFor(most);
    // A bar of one message in thousands is still to be seen.
    const heightOf = (amount: number) => (amount === 0 ? 0 : Math.max(3, (amount / top) * HEIGHT));
    const lines = [];
    const numbers = [];
    for (let value = 0; value <= top; value += step) {
      const y = (BOTTOM - (value / top) * HEIGHT).toFixed(1);
      lines.push(`<line x1="0" x2="100%" y1="${y}" y2="${y}"/>`);
      numbers.push(`<text x="100%" y="${Number(y) + 4}">${short(value)}</text>`);
    }
    const shapes = bars.map((bar, index) => {
      const { rects, text, kind, height } = shapesOf(bar, index, heightOf);
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
<svg class="plot" width="100%" ${size} role="img" aria-label="${title}. The table below has its numbers."><g class="grid">${lines.join('')}</g>${shapes.join('')}<g class="labels">${labels()}</g></svg></div>`;
  }

  const mostOf = (...names: ('sent' | 'reported')[]) =>
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
        rects:
          rect('good', index, 0.78, BOTTOM, good) + rect('bad', index, 0.78, BOTTOM - good, bad),
        text: bar.failed === 0 ? '' : short(bar.failed),
        kind: 'bad',
        height: good + bad,
      };
    },
  );
  return [{ json: { ...figures, charts: bars.length === 0 ? undefined : { traffic, outcome } } }];
}
