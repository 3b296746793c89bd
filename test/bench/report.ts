import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { n8nBin, n8nFolder } from '../kit/n8n/paths';
import { CONTESTANTS, type Name } from './contestants';
import type { Workload } from './main';

/** What all contestants took for a workload. */
export interface Row extends Workload {
  /** The times of the runs in milliseconds. A contestant that was left out has none. */
  walls: Map<Name, number[]>;
}

const OURS: Name = 'This node';
const RAW: Name = 'Raw client';

/** The results as a Markdown page: docs/build/figures.md. */
export function report(rows: Row[], peaks: Map<Name, number>): string {
  const memory = [...peaks].map(([name, mb]) => `${name} ${Math.round(mb)} MB`).join(', ');
  const others = CONTESTANTS.map(({ name }) => name).filter((name) => name !== RAW);
  const sends = rows.filter(({ pageSize }) => pageSize === undefined);
  const drains = rows.filter(({ pageSize }) => pageSize !== undefined);
  return [
    '# Figures',
    `Written by \`npm run bench\` ${circumstances()}`,
    'All send the same template messages to a sandbox that answers after 0 or 20 ms, and take turns in one run. Times are medians of five.',
    [
      '- **This node** sends 100 messages per request, four requests at a time, with On Error on _Continue_ and with paths such as `{{ $json.phone }}`. With **expressions**, two of its three fields are evaluated per item; with **As JSON**, one expression gives both parameters. With **Stop Workflow** it plans the whole run before it sends.',
      '- **Raw client**: the same requests outside n8n, over connections that stay open.',
      "- **HTTP Request**: n8n's own node with this package's credential, one request per item.",
    ].join('\n'),
    '## Sends',
    'Times as long as the raw client. Empty: it would take minutes.',
    table(
      ['Latency', 'Recipients', RAW, ...others],
      sends.map((row) => [
        ...place(row),
        `${count(median(row, RAW))} ms`,
        ...others.map((name) => ratio(median(row, name), median(row, RAW))),
      ]),
    ),
    `Highest memory, n8n-core included: ${memory}.`,
    '## Drains',
    'Delivery reports per second. The raw client discards them.',
    table(
      ['Latency', 'Records', 'Page', 'Trigger', RAW],
      drains.map((row) => [
        ...place(row),
        String(row.pageSize),
        ...[OURS, RAW].map((name) => count((row.size * 1000) / median(row, name))),
      ]),
    ),
    '',
  ].join('\n\n');
}

/** A Markdown table. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** When, of which code, and on what figures were measured. */
export function circumstances(): string {
  const date = new Date().toISOString().slice(0, 10);
  const said = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8' }).trim();
  const commit = said('git', 'describe', '--always', '--dirty', '--exclude', '*');
  const node = said(path.join(n8nBin, 'node'), '--version').slice(1);
  const manifest = readFileSync(path.join(n8nFolder, 'node_modules/n8n/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const cores = `${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores`;
  return `on ${date}, at commit ${commit}. ${cores}; Node.js ${node}, n8n ${version}. Load at the end: ${os.loadavg()[1]?.toFixed(1)}.`;
}

const place = ({ latencyMs, size }: Row) => [`${latencyMs} ms`, count(size)];

export const count = (value: number) => Math.round(value).toLocaleString('en');

/** NaN for a contestant that was left out. */
function median({ walls }: Row, name: Name): number {
  const sorted = [...(walls.get(name) ?? [])].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

function ratio(value: number, reference: number): string {
  const quotient = value / reference;
  return isNaN(quotient) ? '' : quotient.toFixed(quotient < 10 ? 2 : 0);
}
