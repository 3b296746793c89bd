import * as fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

/** Whatever a service may send, for fast-check, and the result of reading it. */

export const jsonValue = fc.jsonValue({ maxDepth: 4 });

const jsonObject = fc.dictionary(fc.string(), jsonValue) as fc.Arbitrary<IDataObject>;

/** Objects with some of these fields, and with any other fields. All fields may have any value. */
export const withFields = (names: string[]): fc.Arbitrary<IDataObject> =>
  fc
    .tuple(
      fc.record(Object.fromEntries(names.map((name) => [name, jsonValue])), { requiredKeys: [] }),
      jsonObject,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }) as IDataObject);

/** Returns the result of a function; undefined if it throws an error of this package. Throws any other error. */
export function resultOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).message).toMatch(/\S/);
    expect((error as UserError).description).toMatch(/\S/);
    return undefined;
  }
}
