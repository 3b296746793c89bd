/** Where the nodes and notes of a workflow of the desk stand on the canvas. */
import { heightOf, note } from '../../builder/parts';

import type { DeskWorkflow, Lane, Node, Step } from './parts';

export interface Line {
  from: Node;
  to: Node;
  output: number;
  input: number;
}

/** Pixels between nodes, and between notes. */
const COLUMN = 192;
const ROW = 200;
const GAP = 40;

/** The left side of the names of the first column. */
const LEFT = -80;

const NOTE_WIDTH = 440;

const nodeOf = (step: Step): Node => (Array.isArray(step) ? step[0] : step);

/** The lines of a lane, in the order of its paths. */
export function linesOf({ paths }: Lane): Line[] {
  return paths.flatMap((path) =>
    path.slice(1).map((step, index) => {
      const [from, output] = [path[index]].flat() as [Node, number?];
      const [to, , input] = [step].flat() as [Node, number?, number?];
      return { from, to, output: output ?? 0, input: input ?? 0 };
    }),
  );
}

/** The nodes of a lane, in the order of its paths. */
export const nodesOf = ({ paths }: Lane): Node[] => [...new Set(paths.flat().map(nodeOf))];

/**
 * The positions of all nodes, and the notes: lanes one below the other, each below its notes.
 *
 * @throws Error if n8n would run what leaves an output in another order than that of the paths.
 */
export function layout({ about, setUp, tryIt, lanes }: DeskWorkflow) {
  const notes: Node[] = [];
  const positions = new Map<Node, [number, number]>();
  let top = 0;
  const put = (texts: [kind: Parameters<typeof note>[0], name: string, text?: string][]) => {
    const shown = texts.filter(([, , text]) => text);
    const heights = shown.map(([, , text = '']) => heightOf(text, NOTE_WIDTH));
    const bottom = top + Math.max(0, ...heights);
    for (const [index, [kind, name, text = '']] of shown.entries()) {
      const left = LEFT + index * (NOTE_WIDTH + GAP);
      notes.push(note(kind, left, { above: bottom }, NOTE_WIDTH, text, name));
    }
    top = bottom + GAP;
  };
  put([
    ['about', 'About', about],
    ['set up', 'Set up here', setUp],
    ['try', 'Try it', tryIt],
  ]);
  for (const [index, each] of lanes.entries()) {
    if (each.notes.length > 0) {
      put(each.notes.map((text, at) => ['more', `Note ${index + 1}.${at + 1}`, text]));
    }
    const places = placesIn(each);
    for (const [node, [column, row]] of places) {
      positions.set(node, [column * COLUMN, top + row * ROW]);
    }
    top += (Math.max(...[...places.values()].map(([, row]) => row)) + 1) * ROW;
  }
  return { notes, positions };
}

/** Columns by the longest way from a start. Rows in the order of the paths, each branch below the one before. */
function placesIn(each: Lane): Map<Node, [number, number]> {
  const nodes = nodesOf(each);
  const lines = linesOf(each);
  const targets = new Map(nodes.map((node) => [node, new Set<Node>()]));
  for (const { from, to } of lines) targets.get(from)?.add(to);
  const columns = columnsOf(targets);
  const columnOf = (node: Node) => columns.get(node) ?? 0;
  /** Node → the row in which it stands at the highest. */
  const highest = new Map<Node, number>();
  const lowered = new Set<Line>();
  for (;;) {
    const rows = rowsOf(targets, columnOf, highest);
    const rowOf = (node: Node) => rows.get(node) ?? 0;
    // A long line from below would lead through what stands before its end: the end goes down to it.
    const rising = lines.find(
      (line) =>
        !lowered.has(line) &&
        columnOf(line.to) > columnOf(line.from) + 1 &&
        rowOf(line.from) > rowOf(line.to),
    );
    if (!rising) {
      const places = new Map(
        nodes.map((node) => [node, [columnOf(node), rowOf(node)] as [number, number]]),
      );
      checkOrder(lines, places);
      return places;
    }
    lowered.add(rising);
    highest.set(rising.to, rowOf(rising.from));
  }
}

/** The nodes to which no line leads. */
function startsOf(targets: Map<Node, Set<Node>>): Node[] {
  const reached = new Set([...targets.values()].flatMap((those) => [...those]));
  return [...targets.keys()].filter((node) => !reached.has(node));
}

function rowsOf(
  targets: Map<Node, Set<Node>>,
  columnOf: (node: Node) => number,
  highest: Map<Node, number>,
): Map<Node, number> {
  const rows = new Map<Node, number>();
  /** Column → its first free row. */
  const free = [...targets].map(() => 0);
  /** The last column of a node and of what follows it, up to what stands already. */
  const endOf = (node: Node, seen = new Set<Node>()): number => {
    if (rows.has(node)) return columnOf(node) - 1;
    if (seen.has(node)) return 0;
    seen.add(node);
    const ends = [...(targets.get(node) ?? [])].map((target) => endOf(target, seen));
    return Math.max(columnOf(node), ...ends);
  };
  const place = (node: Node, from: number, above: number): number => {
    const column = columnOf(node);
    const row = Math.max(above, highest.get(node) ?? 0, ...free.slice(from, endOf(node) + 1));
    rows.set(node, row);
    // The line to it takes room too, if it is straight.
    for (let each = row === above ? from : column; each <= column; each += 1) free[each] = row + 1;
    let next = row;
    for (const target of targets.get(node) ?? []) {
      const there = rows.get(target);
      const isLong = columnOf(target) > column + 1;
      next = 1 + Math.max(there ?? place(target, column + 1, next), isLong ? next : 0);
    }
    return row;
  };
  for (const start of startsOf(targets)) place(start, 0, 0);
  return rows;
}

/** The number of steps to a node on the longest way. Lines that lead back do not count. */
function columnsOf(targets: Map<Node, Set<Node>>): Map<Node, number> {
  const columns = new Map<Node, number>();
  const visit = (node: Node, column: number, way: Set<Node>): void => {
    if (way.has(node) || (columns.get(node) ?? -1) >= column) return;
    columns.set(node, column);
    for (const target of targets.get(node) ?? []) {
      visit(target, column + 1, new Set([...way, node]));
    }
  };
  for (const start of startsOf(targets)) visit(start, 0, new Set());
  return columns;
}

/** n8n runs from top to bottom, and in a row from left to right. */
function checkOrder(lines: Line[], places: Map<Node, [number, number]>): void {
  const at = ({ to }: Line) => {
    const [column, row] = places.get(to) ?? [0, 0];
    return row * 1000 + column;
  };
  for (const [index, line] of lines.entries()) {
    const next = lines
      .slice(index + 1)
      .find(({ from, output }) => from === line.from && output === line.output);
    if (next && at(next) < at(line)) {
      const { from, to } = line;
      throw new Error(`Behind ${from.name}, n8n would run ${next.to.name} before ${to.name}.`);
    }
  }
}
