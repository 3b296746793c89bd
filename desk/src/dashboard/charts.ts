import type { Markup } from '../../../builder/code/html';
import { safe } from '../../../builder/code/html';
import type { N8n } from '../../../builder/code/n8n';
import type { Say } from '../../../builder/code/lang';
import { panel, table } from '../../../builder/code/look';
import { number, share } from '../common/text/numbers';
import { address } from './address';
import type { Bar, Unit } from './bars';
import type { Shown } from './count-and-judge';
import type { Voice } from './voice';

export const CHARTS_ZH = {
  'Sent and reported over time': '发送与回执',
  'Failure rate over time': '失败率',
  'Time to delivery over time': '送达用时',
  sent: '已发送',
  reported: '已回执',
  'failed, in per cent of the reported': '失败，占回执的百分比',
  'hollow: fewer than {n} reports': '空心：回执少于 {n} 条',
  'told above {percent} %': '超过 {percent} % 时提示',
  median: '中位数',
  '95 % within': '95% 在此用时内',
  'per {unit}': '每{unit}',
  '5 minutes': '5 分钟',
  hour: '小时',
  '6 hours': '6 小时',
  day: '天',
  week: '周',
  month: '月',
  year: '年',
  '{sent} sent, {reported} reported': '发送 {sent}，回执 {reported}',
  '{failed} of {reported} failed ({rate})': '{reported} 条回执中 {failed} 条失败（{rate}）',
  'median {p50}, 95 % within {p95}': '中位数 {p50}，95% 在 {p95} 内',
  'nothing delivered': '无送达',
  'Show the numbers of the charts': '显示图表数据',
  'Hide the numbers': '隐藏图表数据',
  'The numbers of the charts': '图表数据',
  From: '起始',
  '#Failure rate': '#失败率',
  '#Failed': '#失败',
  '#Sent': '#已发送',
  '#Reported': '#已回执',
  '#Median': '#中位数',
  '#95 % within': '#95% 用时',
} as const;

type Texts = keyof typeof CHARTS_ZH;

const TOP = 34;
const HEIGHT = 130;
const BOTTOM = TOP + HEIGHT;
const LABELS = 36;

/** A rate of fewer reports is drawn hollow: it says little. */
const FEW_REPORTS = 20;

/** Every how many bars have a label: on a wide screen, and on a phone. */
type Labels = readonly [wide: number, narrow: number];

/** Units of less than a day: the field of a time that counts them, how many one has, and its labels. */
const SHORT: Record<string, { place: 'minute' | 'hour'; size: number; labels: Labels }> = {
  '5 minutes': { place: 'minute', size: 5, labels: [2, 6] },
  hour: { place: 'hour', size: 1, labels: [2, 4] },
  '6 hours': { place: 'hour', size: 6, labels: [2, 8] },
};
const TIMES: Record<string, string> = { month: 'LL', year: 'yyyy' };
const DATES: Record<string, string> = { month: 'yyyy', year: '' };

/** The steps of the scale of times, in seconds. A scale of equal factors shows seconds beside hours. */
const TIME_STEPS = [1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600, 72 * 3600];

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function short(amount: number): string {
  return amount < 10000 ? String(amount) : compact.format(amount);
}

function labelsOf(unit: Unit, count: number): Labels {
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

/** What the charts are drawn from, and how they speak. */
interface Drawing {
  bars: Bar[];
  unit: Unit;
  zone: string;
  /** The failure rate above which it is told, in per cent, drawn as a line. */
  limit: number;
  say: Say<Texts>;
  lengthOf: (millis: number) => string;
  DateTime: N8n['DateTime'];
}

/** A line of the scale: its height above the ground, from 0 to 1, and its text. */
interface Line {
  height: number;
  text: string;
}

/** The charts: volume, failure rate, and time to delivery. */
interface Charts {
  volume: Markup;
  failures: Markup;
  times: Markup;
}

/**
 * Draws the charts in SVG: a script could not run on the page. Widths are in per cent and heights in
 * pixels, so the texts have their size on a phone too.
 */
function chartsOf(drawing: Drawing): Charts {
  const { bars, unit, zone, say, lengthOf, limit, DateTime } = drawing;
  // One bar alone would be as wide as the page.
  const slots = Math.max(bars.length, 8);
  const percent = (value: number) => `${((value / slots) * 100).toFixed(2)}%`;
  const local = (millis: number) => DateTime.fromMillis(millis, { zone });
  const yOf = (height: number) => (BOTTOM - height * HEIGHT).toFixed(1);

  /** The text below the bars: times, and a date where one begins. */
  function labels(): Markup[] {
    const [wideStep, narrowStep] = labelsOf(unit, bars.length);
    const hours = SHORT[unit];
    const format = hours ? 'HH:mm' : TIMES[unit];
    let before = '';
    return bars.map(({ from }, index) => {
      const at = local(from);
      // Counted from midnight or the full hour, so that round times have the labels.
      const days = unit === '6 hours' ? 4 * at.ordinal : 0;
      const number = hours ? at[hours.place] / hours.size + days : index;
      const wide = number % wideStep === 0;
      const narrow = number % narrowStep === 0;
      const date = at.toFormat(DATES[unit] ?? 'MM-dd');
      const begins = unit === '6 hours' ? at.hour === 0 : date !== before;
      const isNew = date !== '' && begins && (wide || narrow);
      if (isNew) before = date;
      const kind = narrow ? '' : wide ? 'wide' : 'never';
      const x = percent(index + 0.5);
      const time = format && !(isNew && unit === '6 hours') ? at.toFormat(format) : '';
      const line = time && safe`<text x="${x}" y="${BOTTOM + 16}">${time}</text>`;
      const day = isNew ? safe`<text x="${x}" y="${BOTTOM + (time ? 30 : 16)}">${date}</text>` : '';
      return safe`<g class="${kind}">${line}${day}</g>`;
    });
  }

  /** When a bar was. */
  function whenOf({ from, to }: Bar): string {
    const start = local(from).toFormat(SHORT[unit] ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd');
    const end = SHORT[unit] ? ` – ${local(to).toFormat('HH:mm')}` : '';
    return start + end;
  }

  function rect(kind: string, index: number, width: number, height: number): Markup {
    // A bar of one message in thousands is still to be seen.
    const pixels = height === 0 ? 0 : Math.max(3, height * HEIGHT);
    return safe`<rect class="${kind}" x="${percent(index + (1 - width) / 2)}" y="${(BOTTOM - pixels).toFixed(1)}" width="${percent(width)}" height="${pixels.toFixed(1)}"/>`;
  }

  function count(kind: string, index: number, height: number, text: string): Markup {
    return safe`<text class="count ${kind}" x="${percent(index + 0.5)}" y="${(BOTTOM - height * HEIGHT - 6).toFixed(1)}">${text}</text>`;
  }

  function chart(
    title: string,
    lines: Line[],
    shapesOf: (bar: Bar, index: number) => Markup | Markup[] | string,
    nameOf: (bar: Bar) => string,
    behind: Markup | string = '',
  ): Markup {
    const size = safe`height="${BOTTOM + LABELS}"`;
    const grid = lines.map(
      ({ height }) => safe`<line x1="0" x2="100%" y1="${yOf(height)}" y2="${yOf(height)}"/>`,
    );
    const numbers = lines.map(
      ({ height, text }) => safe`<text x="100%" y="${Number(yOf(height)) + 4}">${text}</text>`,
    );
    const shapes = bars.map((bar, index) => {
      const name = `${whenOf(bar)}: ${nameOf(bar)}`;
      return safe`<g><title>${name}</title>${rect('area', index, 1, 1)}${shapesOf(bar, index)}</g>`;
    });
    return safe`<div class="chart"><svg class="axis" ${size} aria-hidden="true">${numbers}</svg>
<svg class="plot" width="100%" ${size} role="img" aria-label="${title}"><g class="lines">${grid}</g>${behind}${shapes}<g class="labels">${labels()}</g></svg></div>`;
  }

  function volume(): Markup {
    const most = bars.reduce((max, bar) => Math.max(max, bar.sent, bar.reported), 0);
    const { step, top } = scaleFor(most);
    const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => ({
      height: (index * step) / top,
      text: short(index * step),
    }));
    return chart(
      say('Sent and reported over time'),
      lines,
      ({ sent, reported }, index) => [
        rect('sent', index, 0.78, sent / top),
        rect('reported', index, 0.34, reported / top),
        count('', index, Math.max(sent, reported) / top, sent === 0 ? '' : short(sent)),
      ],
      ({ sent, reported }) => say('{sent} sent, {reported} reported', { sent, reported }),
    );
  }

  function failures(): Markup {
    const rateOf = ({ failed, reported }: Bar) => (reported === 0 ? 0 : (failed / reported) * 100);
    const solid = bars.filter(({ reported }) => reported >= FEW_REPORTS).map(rateOf);
    const { step, top } = scaleFor(Math.max(5, limit, ...solid));
    const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => ({
      height: (index * step) / top,
      text: `${index * step} %`,
    }));
    const y = yOf(limit / top);
    return chart(
      say('Failure rate over time'),
      lines,
      (bar, index) => {
        const height = Math.min(1, rateOf(bar) / top);
        const kind = bar.reported < FEW_REPORTS ? 'bad few' : 'bad';
        const text = bar.failed > 0 && kind === 'bad' ? rateOf(bar).toFixed(0) : '';
        return [rect(kind, index, 0.62, height), count('', index, height, text)];
      },
      ({ failed, reported }) =>
        say('{failed} of {reported} failed ({rate})', {
          ...{ failed, reported, rate: share(failed, reported) },
        }),
      safe`<line class="limit" x1="0" x2="100%" y1="${y}" y2="${y}"/>`,
    );
  }

  function times(): Markup {
    const most = bars.reduce((max, { p95 = 0 }) => Math.max(max, p95), 0) / 1000;
    const last = Math.max(3, TIME_STEPS.findIndex((step) => step >= most) + 1 || TIME_STEPS.length);
    const steps = TIME_STEPS.slice(0, last);
    const top = Math.log(steps.at(-1) ?? 1);
    const heightOf = (millis: number) => Math.min(1, Math.log(Math.max(1, millis / 1000)) / top);
    const lines = steps.map((step) => ({
      height: Math.log(step) / top,
      text: lengthOf(step * 1000),
    }));
    const known = bars.flatMap(({ p50, p95 }, index) =>
      p50 === undefined || p95 === undefined ? [] : [{ index, p50, p95 }],
    );
    const path = (kind: 'p50' | 'p95') =>
      known.slice(1).map((point, index) => {
        const before = known[index] ?? point;
        return safe`<line class="${kind}" x1="${percent(before.index + 0.5)}" y1="${yOf(heightOf(before[kind]))}" x2="${percent(point.index + 0.5)}" y2="${yOf(heightOf(point[kind]))}"/>`;
      });
    return chart(
      say('Time to delivery over time'),
      lines,
      ({ p50, p95 }, index) => {
        if (p50 === undefined || p95 === undefined) return '';
        const x = percent(index + 0.5);
        const square = safe`<svg x="${x}" y="${yOf(heightOf(p95))}" overflow="visible"><rect class="p95" x="-4" y="-4" width="8" height="8"/></svg>`;
        return safe`${square}<circle class="p50" cx="${x}" cy="${yOf(heightOf(p50))}" r="4"/>`;
      },
      ({ p50, p95 }) =>
        p50 === undefined || p95 === undefined
          ? say('nothing delivered')
          : say('median {p50}, 95 % within {p95}', {
              ...{ p50: lengthOf(p50), p95: lengthOf(p95) },
            }),
      safe`${path('p95')}${path('p50')}`,
    );
  }

  return { volume: volume(), failures: failures(), times: times() };
}

/** The charts in their panels, and what they mean. */
export function chartPanels(
  { bars, unit, thresholds }: Pick<Shown, 'bars' | 'unit' | 'thresholds'>,
  voice: Voice<Texts>,
  DateTime: N8n['DateTime'],
): Markup[] {
  const { asked, say, lengthOf } = voice;
  if (bars.length === 0) return [];
  const { failed_percent: limit } = thresholds;
  const charts = chartsOf({ ...{ bars, unit, limit, say, lengthOf }, zone: asked.zone, DateTime });
  const key = (kind: string, text: string) => safe`<span><i class="${kind}"></i>${text}</span>`;
  const per = say('per {unit}', { unit: say(unit) });
  const line = key('limit', say('told above {percent} %', { percent: limit }));
  const few = bars.some(({ reported }) => reported > 0 && reported < 20)
    ? key('bad few', say('hollow: fewer than {n} reports', { n: 20 }))
    : '';
  const toggle = asked.numbers
    ? safe`<a href="${address(asked, { numbers: false })}">${say('Hide the numbers')}</a>`
    : safe`<a href="${address(asked, { numbers: true })}#numbers">${say('Show the numbers of the charts')}</a>`;
  return [
    panel(
      `${say('Failure rate over time')}, ${per}`,
      safe`<p class="key">${key('bad', say('failed, in per cent of the reported'))}${few}${line}</p>${charts.failures}`,
      'wide',
    ),
    panel(
      `${say('Sent and reported over time')}, ${per}`,
      safe`<p class="key">${key('sent', say('sent'))}${key('reported', say('reported'))}</p>${charts.volume}`,
      'wide',
    ),
    panel(
      `${say('Time to delivery over time')}, ${per}`,
      safe`<p class="key">${key('p50', say('median'))}${key('p95', say('95 % within'))}</p>${charts.times}<p>${toggle}</p>${asked.numbers ? numbers(bars, voice) : ''}`,
      'wide',
    ),
  ];
}

/** The numbers of the charts. */
function numbers(bars: Bar[], { say, clock, lengthOf }: Voice<Texts>): Markup {
  const length = (millis: number | undefined) => (millis === undefined ? '–' : lengthOf(millis));
  const lines = bars.map(({ from, sent, reported, failed, p50, p95 }) => [
    ...[clock(from), share(failed, reported), number(failed), number(reported), number(sent)],
    ...[length(p50), length(p95)],
  ]);
  const heads = [
    ...[say('From'), say('#Failure rate'), say('#Failed'), say('#Reported'), say('#Sent')],
    ...[say('#Median'), say('#95 % within')],
  ];
  return safe`<div id="numbers">${table(say('The numbers of the charts'), heads, lines)}</div>`;
}
