import os from 'node:os';
import {
  BARE,
  CONTESTANTS,
  contestantOf,
  HTTP_REQUEST,
  HTTP_REQUEST_BATCHING,
  OURS,
  RAW,
  SEQUENTIAL_LOOP,
} from './contestants';
import { median } from './measure';
import type { Cell } from './measure';

/** The results as a Markdown page: docs/bench.md. */
export function report(
  sends: Cell[],
  drains: Cell[],
  { command, versions }: { command: string; versions: Record<string, string> },
): string {
  const latencies = [...new Set(sends.map(({ latencyMs }) => latencyMs))].sort((a, b) => a - b);
  const sizes = [...new Set(sends.map(({ size }) => size))];
  const gigabytes = Math.round(os.totalmem() / 2 ** 30);
  const software = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Bench',
    '',
    `Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores, ${gigabytes} GB; ${software.join(', ')}. At the end the load average of the machine was ${os.loadavg()[1]?.toFixed(1)}. This bench alone causes at most ${os.cpus().length}; the rest is other work.`,
    '',
    ...METHOD,
    '',
    '## Sends compared',
    '',
    'Ratios of wall times. The first two columns of ratios compare this node and the bare requests with the raw client. The next columns compare the other contestants with this node. Each cell is the ratio of the medians, and in brackets the ratio of the fastest runs. Expression engine `vm`, plain paths.',
    '',
    ...comparison(sends, sizes, latencies),
    '',
    ...sizes.flatMap((size) => [
      `## ${size.toLocaleString('en')} recipients`,
      '',
      ...sendTable(
        sends.filter((cell) => cell.size === size),
        latencies,
      ),
      '',
    ]),
    '## Drain of delivery reports',
    '',
    "The trigger drains the queue through n8n's real poll context. It gives each page to n8n as an execution before it pulls the next page. The raw client and the bare requests pull the same pages and discard the records.",
    '',
    ...drainTable(drains),
    '',
  ].join('\n');
}

const METHOD = [
  "The bench sends template messages to the sandbox gateway. The gateway has its own process and answers after 0 or 20 ms. All contestants sign every request with the same credential. Each contestant has its own process: the real n8n-core of the pinned n8n, on n8n's Node.js, with the expression engine of production (`vm`, with n8n's default settings) or with the older one (`legacy`).",
  '',
  'At each size, a contestant that takes at most two seconds has one warm-up run, which does not count. Then the contestants take turns in rounds, first the quick ones, then the slow ones. Times are medians, with the fastest run in brackets. On a machine that does other work too, the fastest run says more.',
  '',
  '- **Raw undici client**: the same requests, 100 messages each and four at a time, over connections that stay open. This is the limit.',
  "- **n8n's requests, bare**: only the same requests, with the function for requests that n8n gives its nodes. That function opens a connection for each request. No node can be faster.",
  '- **This node**, in the forms that users write: **plain paths**, such as `{{ $json.phone }}`; **text around a path**, `+86{{ $json.phone }}`; **paths in JSON**, `{ "code": "{{ $json.code }}", … }`; **an object as JSON**, `{{ $json.params }}`; and **expressions**, two per item that only the expression engine can evaluate. On Error is a _Continue_ setting, except for **Stop Workflow**: then the whole run is planned before its first request.',
  "- **HTTP Request**: n8n's own node with the credential of this package, one request and one expression per item. By default it does not limit the number of simultaneous requests. With batching of 1 item per 1 ms it starts one request per millisecond.",
  "- **Sequential loop**: one request per item, one after the other, like n8n's own Twilio node. The expression engine evaluates two plain paths per item.",
  '',
  "CPU is the CPU time of the contestant's process, all threads, per recipient. Memory is the highest resident memory of the process up to this size; small sizes are measured first. About 200 MB of it are n8n-core with its expression engine, and V8 does not free garbage for several runs. Heap kept is the heap size after the runs and a garbage collection: if it does not grow, nothing leaks. All contestants have the credential in memory. In n8n, HTTP Request and the loop also read it from the database for each item; this node reads it once in a run.",
];

function comparison(cells: Cell[], sizes: number[], latencies: number[]): string[] {
  const ours = contestantOf(OURS);
  const others = [HTTP_REQUEST, HTTP_REQUEST_BATCHING, SEQUENTIAL_LOOP];
  const compare = (contestant: number, reference: number, size: number, latencyMs: number) => {
    const find = (wanted: number) =>
      cells.find(
        (cell) => cell.contestant === wanted && cell.size === size && cell.latencyMs === latencyMs,
      );
    const medians = ratio(wallOf(find(contestant)), wallOf(find(reference)));
    const fastest = ratio(wallOf(find(contestant), 'min'), wallOf(find(reference), 'min'));
    return medians === '' ? '' : `${medians} (${fastest})`;
  };
  return table(
    [
      'Latency',
      'Recipients',
      'This node ÷ raw client',
      `${BARE} ÷ raw client`,
      ...others.map((name) => `${name} ÷ this node`),
    ],
    latencies.flatMap((latencyMs) =>
      sizes.map((size) => [
        `${latencyMs} ms`,
        size.toLocaleString('en'),
        compare(ours, RAW, size, latencyMs),
        compare(contestantOf(BARE), RAW, size, latencyMs),
        ...others.map((name) => compare(contestantOf(name), ours, size, latencyMs)),
      ]),
    ),
  );
}

function sendTable(cells: Cell[], latencies: number[]): string[] {
  const raw = new Map(
    cells
      .filter(({ contestant }) => contestant === RAW)
      .map((cell) => [cell.latencyMs, wallOf(cell)]),
  );
  return table(
    [
      'Contestant',
      'Engine',
      'Requests',
      'Most in flight',
      ...latencies.flatMap((latencyMs) => [`Wall, ${latencyMs} ms`, '× raw', 'CPU per recipient']),
      'Peak memory',
      'Heap kept',
    ],
    CONTESTANTS.flatMap(({ name, engine }, contestant) => {
      const own = cells.filter((cell) => cell.contestant === contestant);
      if (own.length === 0) return [];
      const done = own.filter(({ runs }) => runs.length > 0);
      const row = [
        name,
        engine ?? '',
        done[0]?.requests.toLocaleString('en') ?? '',
        done.length > 0 ? String(Math.max(...done.map(({ maxInFlight }) => maxInFlight))) : '',
        ...latencies.flatMap((latencyMs) => {
          const cell = own.find((candidate) => candidate.latencyMs === latencyMs);
          if (cell === undefined || cell.runs.length === 0) return [cell?.remark ?? '', '', ''];
          return [
            wallText(cell) + (cell.remark === undefined ? '' : ` (${cell.remark})`),
            ratio(wallOf(cell), raw.get(latencyMs)),
            `${Math.round((median(cell.runs.map(({ cpuMs }) => cpuMs)) * 1000) / cell.size)} µs`,
          ];
        }),
        done.length > 0 ? `${peakOf(done)} MB` : '',
        heapText(done),
      ];
      return [row];
    }),
  );
}

function drainTable(cells: Cell[]): string[] {
  const rows = cells.map((cell) => {
    const { contestant, size, latencyMs, pageSize } = cell;
    const raw = cells.find(
      (other) =>
        other.contestant === RAW &&
        other.size === size &&
        other.latencyMs === latencyMs &&
        other.pageSize === pageSize,
    );
    const wall = wallOf(cell);
    return [
      contestant === contestantOf(OURS) ? 'Trigger' : (CONTESTANTS[contestant]?.name ?? ''),
      size.toLocaleString('en'),
      String(pageSize),
      `${latencyMs} ms`,
      wall === undefined
        ? (cell.remark ?? '')
        : Math.round((size * 1000) / wall).toLocaleString('en'),
      ratio(wall, wallOf(raw)),
      cell.runs.length > 0
        ? `${Math.round((median(cell.runs.map(({ cpuMs }) => cpuMs)) * 1000) / size)} µs`
        : '',
      cell.runs.length > 0 ? `${peakOf([cell])} MB` : '',
      heapText([cell]),
    ];
  });
  return table(
    [
      'Client',
      'Records',
      'Page',
      'Latency',
      'Records per second',
      'Wall, × raw',
      'CPU per record',
      'Peak memory',
      'Heap kept',
    ],
    rows,
  );
}

/** Median or fastest wall time in milliseconds. Undefined without a result that counts. */
function wallOf(cell: Cell | undefined, which: 'median' | 'min' = 'median'): number | undefined {
  if (cell === undefined || cell.remark !== undefined || cell.runs.length === 0) return undefined;
  const walls = cell.runs.map(({ wallMs }) => wallMs);
  return which === 'median' ? median(walls) : Math.min(...walls);
}

function wallText({ runs }: Cell): string {
  const walls = runs.map(({ wallMs }) => wallMs);
  const text = (value: number) => Math.round(value).toLocaleString('en');
  return `${text(median(walls))} ms (${text(Math.min(...walls))})`;
}

function peakOf(cells: Cell[]): number {
  return Math.round(Math.max(...cells.flatMap(({ runs }) => runs.map(({ rssPeak }) => rssPeak))));
}

function heapText(cells: Cell[]): string {
  const kept = cells.at(-1)?.heapKept;
  return kept === undefined ? '' : `${Math.round(kept)} MB`;
}

function ratio(value: number | undefined, reference: number | undefined): string {
  if (value === undefined || reference === undefined) return '';
  const quotient = value / reference;
  return quotient < 10 ? quotient.toFixed(2) : quotient.toFixed(0);
}

function table(head: string[], rows: string[][]): string[] {
  const line = (values: string[]) => `| ${values.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
