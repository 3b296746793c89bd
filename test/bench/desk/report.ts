import os from 'node:os';

import { count, table } from '../report';
import type { Figures } from './campaigns';

/** The figures as a Markdown page. */
export function report(rows: Figures[], latencyMs: number): string {
  const date = new Date().toISOString().slice(0, 10);
  const cores = `${os.cpus()[0]?.model.trim()}, ${os.cpus().length} cores`;
  const processes = [...new Set(rows.flatMap(({ used }) => Object.keys(used)))];
  const looks = Object.keys(rows.find(({ times }) => times)?.times ?? {});
  const place = ({ what, size, older }: Figures) => [what, count(size), count(older)];
  const speed = rows.map((row) => {
    const { size, wallMs, used } = row;
    const cpu = Object.values(used).reduce((sum, { cpuMs }) => sum + cpuMs / size, 0);
    const each = processes.map((name) => {
      const { cpuMs = 0, peakMb = 0 } = used[name] ?? {};
      return `${(cpuMs / size).toFixed(2)}, ${count(peakMb)} MB`;
    });
    return [...place(row), count((size * 60_000) / wallMs), cpu.toFixed(2), ...each];
  });
  const seconds = rows
    .filter(({ times }) => times)
    .map((row) => [
      ...place(row),
      ...Object.values(row.times ?? {}).map((ms) => (ms / 1000).toFixed(2)),
    ]);
  const head = ['What', 'Messages', 'Older rows'];
  return [
    '# Bench of the desk',
    `Written by \`npm run bench:desk\` on ${date}: ${cores}, which all processes and the sandbox share. The sandbox answers after ${latencyMs} ms. One run each. The load of the machine at the end was ${os.loadavg()[1]?.toFixed(1)}.`,
    'Messages or reports a minute, and milliseconds of CPU time for each. By process, with its highest memory: what processes of PostgreSQL share counts in each of them.',
    table([...head, 'A minute', 'CPU', ...processes], speed),
    'Seconds for the load in posts of 100,000, for the page of the draft before the send, and for the other pages after it.',
    table([...head, ...looks], seconds),
    '',
  ].join('\n\n');
}
