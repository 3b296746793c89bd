import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** What a code means, if the credential says so. Any other code is a refusal. */
export type CodeMeaning = 'success' | 'empty' | 'throttled' | 'unclear';

/** Code, as text → what it means. */
export type ResultCodes = ReadonlyMap<string, CodeMeaning>;

/** The only code that the specification shows. */
export const USUAL_CODES: ResultCodes = new Map([['0', 'success']]);

/** The fields of the credential. */
const FIELDS: [name: string, meaning: CodeMeaning][] = [
  ['successCodes', 'success'],
  ['emptyCodes', 'empty'],
  ['throttledCodes', 'throttled'],
  ['unclearCodes', 'unclear'],
];

/**
 * Reads Custom Result Codes of the credential. While the switch is off, its fields do not count.
 *
 * @throws UserError if a code is in two fields
 */
export function readResultCodes(data: ICredentialDataDecryptedObject): ResultCodes {
  if (data.customResultCodes !== true) return USUAL_CODES;
  const meanings = new Map<string, CodeMeaning>();
  const listed = FIELDS.flatMap(([field, meaning]) =>
    codesIn(data[field]).map((code): [string, CodeMeaning] => [code, meaning]),
  );
  const isUnsaid = codesIn(data.successCodes).length === 0;
  for (const [code, meaning] of isUnsaid ? [...USUAL_CODES, ...listed] : listed) {
    const known = meanings.get(code) ?? meaning;
    if (known !== meaning) throw listedTwice(code, isUnsaid && known === 'success');
    meanings.set(code, meaning);
  }
  return meanings;
}

/** @returns undefined if the credential says nothing about the code */
export function meaningOfCode(
  code: number | string | undefined,
  codes: ResultCodes,
): CodeMeaning | undefined {
  return code === undefined ? undefined : codes.get(canonicalCode(String(code)));
}

/** Codes with commas or spaces between them. The commas may be Chinese. */
function codesIn(list: unknown): string[] {
  const text = typeof list === 'string' || typeof list === 'number' ? String(list) : '';
  return text.split(/[\s,;，、；]+/).flatMap((code) => (code ? [canonicalCode(code)] : []));
}

/** A code in canonical form: a number without leading zeros, or a word in lower case. */
export function canonicalCode(code: string): string {
  return /^-?\d{1,15}$/.test(code) ? String(Number(code)) : code.toLowerCase();
}

function listedTwice(code: string, isUnsaid: boolean): UserError {
  if (isUnsaid) {
    return new UserError(
      `The credential's Custom Result Codes have the code ${code}, which means success while 'Success Codes' is empty`,
      { description: "Enter the code of success of your provider's manual in 'Success Codes'." },
    );
  }
  return new UserError(`The credential's Custom Result Codes have the code ${code} twice`, {
    description: "Leave it only in the field that fits your provider's manual.",
  });
}
