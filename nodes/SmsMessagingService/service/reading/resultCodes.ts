import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** What a code of the service means, where the credential says it. Any other code is a refusal. */
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
 * @throws UserError when a code stands in two fields
 */
export function readResultCodes(data: ICredentialDataDecryptedObject): ResultCodes {
  if (data.customResultCodes !== true) return USUAL_CODES;
  const meanings = new Map<string, CodeMeaning>();
  const isUnsaid = codesIn(data.successCodes).length === 0;
  for (const [field, meaning] of FIELDS) {
    const codes = codesIn(data[field]);
    for (const code of meaning === 'success' && isUnsaid ? USUAL_CODES.keys() : codes) {
      const known = meanings.get(code) ?? meaning;
      if (known !== meaning) throw listedTwice(code, isUnsaid && known === 'success');
      meanings.set(code, meaning);
    }
  }
  return meanings;
}

/** What the credential says of a code. Undefined where it says nothing. */
export function meaningOfCode(
  code: number | string | undefined,
  codes: ResultCodes,
): CodeMeaning | undefined {
  return code === undefined ? undefined : codes.get(nameOf(String(code)));
}

/** Codes with commas or spaces between them. The commas may be Chinese. */
function codesIn(list: unknown): string[] {
  const text = typeof list === 'string' || typeof list === 'number' ? String(list) : '';
  return text.split(/[\s,;，、；]+/).flatMap((code) => (code ? [nameOf(code)] : []));
}

/** A number without leading zeros, and a word whatever its case. */
export function nameOf(code: string): string {
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
