import { safe, type Markup } from '../../../builder/code/html';
import { panel, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { number, share } from '../common/text/format';
import type { Bar, Counted } from './counted';
import { address, type Voice } from './voice';

export const CHARTS_ZH = {
  'What became of the messages': '短信结果',
  delivered: '已送达',
  failed: '失败',
  'no report': '无状态报告',
  'not sent': '未发送',
  'per {unit}': '每{unit}',
  '5 minutes': '5 分钟',
  hour: '小时',
  '6 hours': '6 小时',
  day: '天',
  week: '周',
  month: '月',
  year: '年',
  'Show the numbers of the chart': '显示图表数据',
  'Hide the numbers': '隐藏图表数据',
  'The numbers of the chart': '图表数据',
  From: '起始',
  '#Failure rate': '#失败率',
} as const;

type ChartVoice = Voice<keyof typeof CHARTS_ZH>;

type Charted = Pick<Counted, 'bars' | 'unit'>;

/** What a bar consists of, from its foot, and how it is called. */
const PARTS = [
  ['delivered', 'delivered'],
  ['failed', 'failed'],
  ['missing', 'no report'],
  ['unsent', 'not sent'],
] as const;

const TOP = 34;
const HEIGHT = 150;
const BOTTOM = TOP + HEIGHT;
const LABELS = 36;

/** Every how many bars have a label: on a wide screen, and on a phone. */
type Labels = readonly [wide: number, narrow: number];

/** Units of less than a day: how many minutes one has, and its labels. */
const SHORT: Record<string, { minutes: number; labels: Labels }> = {
  '5 minutes': { minutes: 5, labels: [2, 6] },
  hour: { minutes: 60, labels: [2, 4] },
  '6 hours': { minutes: 360, labels: [2, 8] },
};
const TIMES: Record<string, string> = { month: 'LL', year: 'yyyy' };
const DATES: Record<string, string> = { month: 'yyyy', year: '' };

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function short(amount: number): string {
  return amount < 10000 ? String(amount) : compact.format(amount);
}

function labelsOf(unit: string, count: number): Labels {
  if (unit === '5 minutes' && count <= 16) return [1, 4];
  return SHORT[unit]?.labels ?? (count <= 10 ? [1, 2] : [2, 5]);
}

/** Where the bars have labels: everywhere, on a wide screen, or nowhere. */
const kindOf = (place: number, [wide, narrow]: Labels): '' | 'wide' | 'never' => {
  if (place % narrow === 0) return '';
  return place % wide === 0 ? 'wide' : 'never';
};

/** The lowest round number that no bar exceeds, in four or five steps. */
function scaleFor(most: number): { step: number; top: number } {
  const rough = Math.max(most, 4) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 2.5, 5].find((each) => each * power >= rough) ?? 10;
  const step = Math.ceil(Math.max(1, round * power));
  return { step, top: step * Math.max(1, Math.ceil(most / step)) };
}

function heightOf(bar: Bar): number {
  return PARTS.reduce((sum, [part]) => sum + bar[part], 0);
}

/** The parts of a bar, in words. */
function inWords(bar: Bar, { say }: ChartVoice): string {
  return PARTS.filter(([part]) => bar[part] > 0)
    .map(([part, name]) => `${say(name)} ${number(bar[part])}`)
    .join(', ');
}

/**
 * The chart, in SVG: a script could not run on the page. Widths are in per cent and heights in pixels, so the texts
 * have their size on a phone too.
 */
function chartOf({ bars, unit }: Charted, voice: ChartVoice, DateTime: N8n['DateTime']): Markup {
  // One bar alone would be as wide as the page.
  const slots = Math.max(bars.length, 8);
  const percent = (value: number) => `${((value / slots) * 100).toFixed(2)}%`;
  const local = (at: string) => DateTime.fromISO(at, { zone: voice.asked.zone });
  const { step, top } = scaleFor(Math.max(...bars.map(heightOf)));
  const yOf = (amount: number) => (BOTTOM - (amount / top) * HEIGHT).toFixed(1);

  /** The text below the bars: times, and a date where one begins. */
  function labels(): Markup[] {
    const steps = labelsOf(unit, bars.length);
    const short = SHORT[unit];
    const format = short ? 'HH:mm' : TIMES[unit];
    // A date takes the place of midnight.
    const isDateAlone = unit === '6 hours';
    let before = '';
    return bars.map(({ from }, index) => {
      const at = local(from);
      // Counted from midnight, so that round times have the labels.
      const minutes = (at.ordinal * 24 + at.hour) * 60 + at.minute;
      const kind = kindOf(short ? minutes / short.minutes : index, steps);
      const date = at.toFormat(DATES[unit] ?? 'MM-dd');
      const begins = isDateAlone ? at.hour === 0 : date !== before;
      const isNew = date !== '' && begins && kind !== 'never';
      if (isNew) before = date;
      const x = percent(index + 0.5);
      const time = format && !(isNew && isDateAlone) ? at.toFormat(format) : '';
      const texts = [time, isNew && date]
        .filter(Boolean)
        .map((text, line) => safe`<text x="${x}" y="${BOTTOM + 16 + 14 * line}">${text}</text>`);
      return safe`<g class="${kind}">${texts}</g>`;
    });
  }

  /** When a bar began. */
  const whenOf = ({ from }: Bar) =>
    local(from).toFormat(SHORT[unit] ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd');

  function rect(kind: string, index: number, y: number, height: number): Markup {
    return safe`<rect class="${kind}" x="${percent(index + 0.12)}" y="${y.toFixed(1)}" width="${percent(0.76)}" height="${height.toFixed(1)}"/>`;
  }

  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
  const grid = lines.map(
    (amount) => safe`<line x1="0" x2="100%" y1="${yOf(amount)}" y2="${yOf(amount)}"/>`,
  );
  const scale = lines.map(
    (amount) => safe`<text x="100%" y="${Number(yOf(amount)) + 4}">${short(amount)}</text>`,
  );
  const shapes = bars.map((bar, index) => {
    let y = BOTTOM;
    const parts = PARTS.map(([part]) => {
      // One message in thousands is still to be seen.
      const height = bar[part] === 0 ? 0 : Math.max(3, (bar[part] / top) * HEIGHT);
      y -= height;
      return rect(part, index, y, height);
    });
    const sum = heightOf(bar);
    const count = safe`<text class="count" x="${percent(index + 0.5)}" y="${(y - 6).toFixed(1)}">${sum === 0 ? '' : short(sum)}</text>`;
    return safe`<g><title>${whenOf(bar)}: ${inWords(bar, voice)}</title>${rect('area', index, TOP, HEIGHT)}${parts}${count}</g>`;
  });
  const size = safe`height="${BOTTOM + LABELS}"`;
  return safe`<div class="chart"><svg class="axis" ${size} aria-hidden="true">${scale}</svg>
<svg class="plot" width="100%" ${size} role="img" aria-label="${voice.say('What became of the messages')}"><g class="lines">${grid}</g>${shapes}<g class="labels">${labels()}</g></svg></div>`;
}

/** The chart in its panel, and what it means. */
export function chartPanel(
  { bars, unit }: Charted,
  voice: ChartVoice,
  DateTime: N8n['DateTime'],
): Markup | string {
  const { asked, say } = voice;
  if (bars.every((bar) => heightOf(bar) === 0)) return '';
  const key = PARTS.map(([part, name]) => safe`<span><i class="${part}"></i>${say(name)}</span>`);
  const toggle = asked.numbers
    ? safe`<a href="${address(asked, { numbers: false })}">${say('Hide the numbers')}</a>`
    : safe`<a href="${address(asked, { numbers: true })}#numbers">${say('Show the numbers of the chart')}</a>`;
  return panel(
    `${say('What became of the messages')}, ${say('per {unit}', { unit: say(unit as keyof typeof CHARTS_ZH) })}`,
    safe`<p class="key">${key}</p>${chartOf({ bars, unit }, voice, DateTime)}<p>${toggle}</p>${asked.numbers ? numbers(bars, voice) : ''}`,
    'wide',
  );
}

/** The numbers of the chart. */
function numbers(bars: Bar[], { say, clock }: ChartVoice): Markup {
  const lines = bars.map((bar) => [
    clock(bar.from),
    ...PARTS.map(([part]) => number(bar[part])).reverse(),
    share(bar.failed, bar.failed + bar.delivered),
  ]);
  const names = PARTS.map(([, name]) => `#${say(name)}`).reverse();
  const heads = [say('From'), ...names, say('#Failure rate')];
  return safe`<div id="numbers">${table(say('The numbers of the chart'), heads, lines)}</div>`;
}
