import { circumstances, count, table } from '../../test/bench/report';
import type { Figures } from './campaigns';

/** The figures as a Markdown page. */
export function report(rows: Figures[], latencyMs: number): string {
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
    `Measured by \`npm run bench:desk\` ${circumstances()} All processes and the sandbox share the cores. The sandbox answers after ${latencyMs} ms. One run each.`,
    'Messages or reports a minute, and milliseconds of CPU time for each. By process, with its highest memory: what processes of PostgreSQL share counts in each of them.',
    table([...head, 'A minute', 'CPU', ...processes], speed),
    'Seconds for the load in posts of 100,000, for the page of the draft before the send, and for the other pages after it.',
    table([...head, ...looks], seconds),
    '',
  ].join('\n\n');
}
