import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { locatorValue } from '../../parameters/reader';
import type { ItemParameter } from '../../parameters/reader';
import { requireId } from '../../parameters/values';
import type { Endpoint } from '../endpoint';

/** What the five operations on one kind of record share. */
export interface RecordKind {
  /** As in a sentence: "Get a qualification". */
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
  /** Makes the short version of a record. Left out where records have ten fields or fewer. */
  simplify?: (record: IDataObject) => IDataObject;
}

/** The ID that the user chose. */
export function readId({ name, displayName }: INodeProperties, parameter: ItemParameter) {
  return requireId(displayName, locatorValue(parameter(name)));
}

/** The field Simplify, for records that have a short version. */
export function simplifyProperties({ simplify }: RecordKind): INodeProperties[] {
  if (!simplify) return [];
  return [
    {
      displayName: 'Simplify',
      name: 'simplify',
      type: 'boolean',
      default: true,
      description: 'Whether to return a simplified version of the response instead of the raw data',
    },
  ];
}
