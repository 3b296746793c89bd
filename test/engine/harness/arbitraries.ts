import * as fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

/** Whatever a service may send, for fast-check, and what comes of reading it. */

export const jsonValue = fc.jsonValue({ maxDepth: 4 });

const jsonObject = fc.dictionary(fc.string(), jsonValue) as fc.Arbitrary<IDataObject>;

/** Objects with some of these fields, with any others, and with any values. */
export const withFields = (names: string[]): fc.Arbitrary<IDataObject> =>
  fc
    .tuple(
      fc.record(Object.fromEntries(names.map((name) => [name, jsonValue])), { requiredKeys: [] }),
      jsonObject,
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }) as IDataObject);

/** The result of a function, or undefined for an error of this package. Any other error is thrown. */
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
