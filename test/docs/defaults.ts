import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import { optionsOf } from '../engine/harness/descriptions';
import { FIELDS } from './descriptions';
import { tablesOf, textOf } from './markdown';
import type { Part } from './markdown';

/** A row of a table of options. */
export interface Row {
  label: string;
  /** Undefined in a table without defaults. */
  shown: string | undefined;
}

/** The rows of the tables whose first column is called Option or Field, also in Chinese. */
export const optionRows = (page: Part): Row[] =>
  tablesOf(page)
    .filter(({ header: [first = ''] }) => /^(?:Option|Field|选项|字段)$/.test(first))
    .flatMap(({ header, rows }) => {
      const column = header.findIndex((name) => /^(?:Default|默认值?)$/.test(name));
      return rows.flatMap((cells) => {
        const [first = '', shown] = [cells[0], cells[column]].map((cell) => cell && textOf(cell));
        // A row may be about two fields.
        return first.split(/, |、/).map((label) => ({ label, shown }));
      });
    });

/** The rows that name no field, or another default than the editor. */
export const wrongRows = (page: Part): string[] =>
  optionRows(page).flatMap(({ label, shown }) => {
    const fields = FIELDS.filter(({ displayName }) => displayName === label);
    if (fields.length === 0) return [`${label}: no such field`];
    if (shown === undefined || fields.some((field) => hasDefault(field, shown))) return [];
    const defaults = [...new Set(fields.map((field) => defaultOf(field) || 'nothing'))];
    return [`${label}: ${shown || 'nothing'} instead of ${defaults.join(' or ')}`];
  });

/** Another field may stand for its value: it is the default, whatever was chosen there. */
function hasDefault(field: INodeProperties, shown: string): boolean {
  const other = FIELDS.find(({ displayName }) => displayName === shown);
  return shown === defaultOf(field) || (other !== undefined && other.default === field.default);
}

/** The default as a reader sees it. A new node has no limit until the user adds one. */
function defaultOf(field: INodeProperties): string {
  const effective = (DEFAULT_OPTIONS as unknown as Record<string, unknown>)[field.name];
  const value = effective ?? field.default;
  if (value === Infinity) return '';
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  const choice = field.type === 'options' && optionsOf(field).find((each) => each.value === value);
  return choice ? choice.name : String(value);
}
