/** Where the nodes and notes of a workflow stand on the canvas. */
import { sticky } from '@n8n/workflow-sdk';

import type { Lane, Line, Node, Workflow } from './parts';

/** A place on the canvas: in pixels, or a column and a row. */
type Place = [number, number];

/** Pixels between nodes, and between notes. */
const COLUMN = 192;
const ROW = 200;
const GAP = 40;

/** The left side of the names of the first column. */
const LEFT = -80;

const NOTE_WIDTH = 440;

/** Of a note above a start: it ends before the names of the next column. */
const NARROW = 220;

/**
 * The positions of all nodes, and the notes: lanes one below the other, each below its notes.
 *
 * @throws Error if n8n would run what leaves an output in another order than that of the paths.
 */
export function layout({ about, setUp, tryIt, lanes, more = [] }: Workflow) {
  const notes: Node[] = [];
  const positions = new Map<Node, Place>();
  let top = 0;
  /** Notes side by side, whose lower ends are in one line, or else the upper ones. */
  const put = (texts: [name: string, text?: string, color?: number][], upper = false) => {
    const shown = texts.filter(([, text]) => text);
    const heights = shown.map(([, text = '']) => heightOf(text, NOTE_WIDTH));
    const bottom = top + Math.max(0, ...heights);
    for (const [index, [name, text = '', color]] of shown.entries()) {
      const left = LEFT + index * (NOTE_WIDTH + GAP);
      const end = upper ? top + (heights[index] ?? 0) : bottom;
      notes.push(note(name, text, color, [left, end], NOTE_WIDTH));
    }
    if (shown.length > 0) top = bottom + GAP;
  };
  put([
    ['About', about],
    ['Set up here', setUp, 3],
    ['Try it', tryIt, 4],
  ]);
  for (const [index, each] of lanes.entries()) {
    const noted = each.notes.map((what, at) => ({ name: `Note ${index + 1}.${at + 1}`, what }));
    put(noted.flatMap(({ name, what }) => (typeof what === 'string' ? [[name, what, 7]] : [])));
    const places = placesIn(each);
    for (const [node, [column, row]] of places) {
      positions.set(node, [column * COLUMN, top + row * ROW]);
    }
    for (const { name, what } of noted) {
      if (typeof what === 'string') continue;
      const [, y = 0] = positions.get(what[0]) ?? [];
      notes.push(note(name, what[1], 7, [LEFT, y - GAP / 2], NARROW));
    }
    top += (Math.max(...[...places.values()].map(([, row]) => row)) + 1) * ROW;
  }
  put(
    more.map((text, index) => [`More ${index + 1}`, text, 7]),
    true,
  );
  return { notes, positions };
}

/** A note, as high as its text, by the place of its lower left corner. */
function note(
  name: string,
  text: string,
  color: number | undefined,
  [left, bottom]: Place,
  width: number,
): Node {
  const height = heightOf(text, width);
  const position: Place = [left, bottom - height];
  return sticky(text, [], { name, position, width, height, ...(color && { color }) });
}

/** The kinds of lines in a note, in pixels on n8n's canvas: a letter, a line, what is around all of them, and the indent. */
const KINDS_OF_LINES: [RegExp, letter: number, line: number, around: number, indent: number][] = [
  [/^## /, 12, 32, 26, 0],
  [/^### /, 8.3, 22, 20, 0],
  [/^(?:-|\d+\.) /, 6.75, 18.5, 4, 20],
  [/^/, 6.75, 20, 7, 0],
];

/** The height of a note's text in pixels. A Chinese character is two letters wide, and a bit for the end of its line. */
function heightOf(text: string, width: number): number {
  const heights = text
    .split('\n')
    .filter((each) => each.trim() !== '')
    .map((each) => {
      const [, letter = 0, line = 0, around = 0, indent = 0] =
        KINDS_OF_LINES.find(([kind]) => kind.test(each)) ?? [];
      const letters = each.replace(/^#+ |[*_`]/g, '');
      const chinese = letters.match(/[\u3000-\uffef]/g)?.length ?? 0;
      const pixels = letter * (letters.length + 1.15 * chinese);
      return line * Math.ceil(pixels / (width - 40 - indent)) + around;
    });
  return Math.ceil(heights.reduce((sum, height) => sum + height, 16));
}

/** The nodes that serve another, such as the model of an agent. */
const servantsOf = ({ config: { subnodes = {} } }: Node): Node[] => Object.values(subnodes).flat(2);

/** The columns that a node takes: one that is served shows its inputs for that. */
const widthOf = (node: Node): number => (servantsOf(node).length > 0 ? 2 : 1);

/** A node at its place, and below it, side by side, those that serve it. */
function withServants(node: Node, [column, row]: Place): [Node, Place][] {
  const servants = servantsOf(node);
  const left = column - Math.floor((servants.length - 1) / 2);
  return [
    [node, [column, row]],
    ...servants.flatMap((each, index) => withServants(each, [left + index, row + 1])),
  ];
}

/** Columns by the longest way from a start. Rows in the order of the paths, each branch below the one before. */
function placesIn({ notes, nodes, lines }: Lane): Map<Node, Place> {
  const targets = new Map(nodes.map((node) => [node, new Set<Node>()]));
  for (const { from, to } of lines) targets.get(from)?.add(to);
  const columns = columnsOf(targets);
  const columnOf = (node: Node) => columns.get(node) ?? 0;
  const noted = new Set(notes.map(([start]) => start));
  /** Node → the row in which it stands at the highest. */
  const highest = new Map<Node, number>();
  for (;;) {
    const rows = rowsOf(targets, columnOf, highest, noted);
    const rowOf = (node: Node) => rows.get(node) ?? 0;
    const leadsThrough = ({ from, to }: Line) =>
      nodes.some(
        (node) =>
          rowOf(node) === rowOf(to) &&
          columnOf(from) < columnOf(node) &&
          columnOf(node) < columnOf(to),
      );
    // A line would lead through what stands before its end: the end goes down.
    const blocked = lines.find(leadsThrough);
    if (!blocked) {
      const places = new Map(
        nodes.flatMap((node) => withServants(node, [columnOf(node), rowOf(node)])),
      );
      checkOrder(lines, places);
      return places;
    }
    highest.set(blocked.to, rowOf(blocked.to) + 1);
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
  noted: Set<unknown>,
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
    const behind = column + widthOf(node);
    for (let each = row === above ? from : column; each < behind; each += 1) free[each] = row + 1;
    for (const [, [at, below]] of withServants(node, [column, row])) free[at] = below + 1;
    let next = row;
    for (const target of targets.get(node) ?? []) {
      const there = rows.get(target);
      const isLong = columnOf(target) > behind;
      next = 1 + Math.max(there ?? place(target, behind, next), isLong ? next : 0);
    }
    return row;
  };
  for (const start of startsOf(targets)) {
    if (noted.has(start)) free[0] = (free[0] ?? 0) + 1;
    place(start, 0, 0);
  }
  return rows;
}

/** The number of steps to a node on the longest way. Lines that lead back do not count. */
function columnsOf(targets: Map<Node, Set<Node>>): Map<Node, number> {
  const columns = new Map<Node, number>();
  const visit = (node: Node, column: number, way: Set<Node>): void => {
    if (way.has(node) || (columns.get(node) ?? -1) >= column) return;
    columns.set(node, column);
    for (const target of targets.get(node) ?? []) {
      visit(target, column + widthOf(node), new Set([...way, node]));
    }
  };
  for (const start of startsOf(targets)) visit(start, 0, new Set());
  return columns;
}

/** n8n runs from top to bottom, and in a row from left to right. */
function checkOrder(lines: Line[], places: Map<Node, Place>): void {
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
