import type { Fields } from '../../../builder/code/n8n';

/** A row of the file. */
export interface Row {
  number: number;
  /** As the file has it. */
  row: Fields;
  /** As it is sent. */
  fields: Fields;
  /** Why it is not sent. */
  problem?: string;
}

/** What is asked before anything is sent. */
export interface Question extends Fields {
  count: number;
  title: string;
  /** HTML. */
  text: string;
  rows: Row[];
}

/** So many reasons stand on a page. */
const MAX_LINES = 20;

/** A file that is refused has no number of a row. */
export const lineOf = ({ number, problem }: Pick<Row, 'number' | 'problem'>): string =>
  number > 0 ? `Row ${number}: ${problem}` : String(problem);

/** As many lines as stand on a page. */
export const listed = (lines: string[]): string[] => [
  ...lines.slice(0, MAX_LINES),
  ...(lines.length > MAX_LINES ? ['…'] : []),
];
