import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/*
 * What the codes in the answers of an SMS provider mean: fields of the credential, because it is a fact about
 * the provider. The defaults are those of the public manual of a platform with the paths of the
 * specification. They are guesses, so each can be changed.
 */

export const CUSTOM_CODES = 'Custom Result Codes';

/** Meaning → the field of the credential that lists its codes. Codes in no list: `otherCodes`. */
export const CODE_LISTS = {
  success: { field: 'successCodes', label: 'Success Codes', default: '0' },
  empty: { field: 'emptyCodes', label: 'Empty Codes', default: '10004, 10005' },
  throttled: { field: 'throttledCodes', label: 'Too Fast Codes', default: '10007, 10008' },
  unclear: { field: 'unclearCodes', label: 'Unclear Codes', default: '100' },
} as const;

export const OTHER_CODES = {
  field: 'otherCodes',
  label: 'Other Codes',
  default: 'refused',
  choices: { refused: 'Not Sent', unclear: 'May Have Been Sent' },
} as const;

type ListedMeaning = keyof typeof CODE_LISTS;

export type CodeMeaning = ListedMeaning | 'other' | 'none';

/** In Empty Codes: an answer without any field. */
export const NO_FIELD = 'none';

export interface ResultCodes {
  /** Code, as text in canonical form → its list. */
  readonly listed: ReadonlyMap<string, ListedMeaning>;
  /** Whether an answer without any field, to a pull, says that nothing is waiting. */
  readonly isNothingEmpty: boolean;
  readonly others: keyof typeof OTHER_CODES.choices;
}

export const DEFAULT_CODES: ResultCodes = readResultCodes({ customResultCodes: true });

/**
 * Reads Custom Result Codes of the credential. While the switch is off, the defaults hold. Without any code
 * of success nothing would ever succeed, so an empty list of those has the default.
 *
 * @throws UserError if a code is in two lists, or if Other Codes is none of its choices
 */
export function readResultCodes(data: ICredentialDataDecryptedObject): ResultCodes {
  if (data.customResultCodes !== true) return DEFAULT_CODES;
  const listed = new Map<string, ListedMeaning>();
  for (const meaning of Object.keys(CODE_LISTS) as ListedMeaning[]) {
    const { field, label, default: usual } = CODE_LISTS[meaning];
    const own = codesIn(data[field] ?? usual);
    for (const code of own.length === 0 && meaning === 'success' ? codesIn(usual) : own) {
      const other = listed.get(code) ?? meaning;
      if (other !== meaning) {
        throw new UserError(
          `The credential has the code ${code} in two lists: '${CODE_LISTS[other].label}' and '${label}'`,
          { description: "Leave it only in the one that fits your provider's manual." },
        );
      }
      listed.set(code, meaning);
    }
  }
  const others = readOthers(data[OTHER_CODES.field] ?? OTHER_CODES.default);
  // In that list it is a word of ours, and no code.
  const isNothingEmpty = listed.get(NO_FIELD) === 'empty' && listed.delete(NO_FIELD);
  return { listed, isNothingEmpty, others };
}

/** @param code of an answer; undefined if it has none */
export function meaningOfCode(code: number | string | undefined, codes: ResultCodes): CodeMeaning {
  return code === undefined ? 'none' : (codes.listed.get(canonicalCode(String(code))) ?? 'other');
}

/** Codes with commas or spaces between them. The commas may be Chinese. */
function codesIn(list: unknown): string[] {
  const text = typeof list === 'string' || typeof list === 'number' ? String(list) : '';
  return text.split(/[\s,;，、；]+/).flatMap((code) => (code ? [canonicalCode(code)] : []));
}

/** A number without leading zeros, or a word in lower case. */
function canonicalCode(code: string): string {
  return /^-?\d{1,15}$/.test(code) ? String(Number(code)) : code.toLowerCase();
}

function readOthers(value: unknown): ResultCodes['others'] {
  const choices = Object.keys(OTHER_CODES.choices) as ResultCodes['others'][];
  const choice = choices.find((each) => each === value);
  if (choice) return choice;
  throw new UserError(`The credential's '${OTHER_CODES.label}' must be ${choices.join(' or ')}`, {
    description: `Choose '${OTHER_CODES.label}' from its list.`,
  });
}
