import type { INodeProperties } from 'n8n-workflow';
import { locatorValue } from '../../parameters/locators';
import type { ItemParameter } from '../../parameters/reader';
import { requireId } from '../../parameters/values';
import type { Endpoint } from '../endpoint';
import type { RecordOutput } from './output';

/** What the five operations on one kind of record share. */
export interface RecordKind {
  /** As in a sentence: "Get qualification". `recordId.ts` knows by it how the ID of a record is named. */
  noun: string;
  plural: string;
  /** The field in which the user chooses a record. */
  locator: INodeProperties;
  /** The operation that lists the records. It also finds one by its ID. */
  list: {
    endpoint: Endpoint;
    /** The name of the ID among its filters; left out: `id`. */
    idField?: string;
  };
  /** Left out where records have ten fields or fewer. */
  output?: RecordOutput;
}

/**
 * The record that an operation is about, as the user chose it.
 *
 * @param idField the name of its ID in the request
 */
export function targetOf({ name, displayName }: INodeProperties, idField = 'id') {
  const readId = (parameter: ItemParameter) =>
    requireId(displayName, locatorValue(parameter(name)));
  return { idField, readId };
}
