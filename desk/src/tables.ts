/** The tables of the desk, as TypeScript sees them. What they are, schema.sql says. */
import { TABLES } from './declared';

export { TABLES };

export type Table = keyof typeof TABLES;

/** The columns that every table has. */
export const SYSTEM = { id: 'id', createdAt: 'date', updatedAt: 'date' } as const;

/** The columns of a table, without those that every table has. */
export type Column<T extends Table> = keyof (typeof TABLES)[T];

/** Values by the types of columns. Times are in ISO 8601. */
interface Values {
  string: string;
  number: number;
  date: string;
  boolean: boolean;
}

/** What is written into a row. `Empty` are the columns that may be null. */
export type Cells<T extends Table, Empty extends Column<T> = never> = {
  -readonly [C in Column<T>]:
    Values[(typeof TABLES)[T][C] & keyof Values] | (C extends Empty ? null : never);
};

export type Row<T extends Table, Empty extends Column<T> = never> = {
  id: number;
  createdAt: string;
  updatedAt: string;
} & Cells<T, Empty>;
