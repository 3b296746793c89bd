import { NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

/** An error as n8n shows it: the message as its title, and the description below. */
interface ErrorText {
  message?: string;
  description?: string | null;
  context?: unknown;
}

/** In characters, of a sentence without quotations. The editor shows some 50 in a line. */
const MAX_SENTENCE_LENGTH = 160;

/** Words that show that a value was missing when the text was made. */
const MISSING = /\bundefined\b|\bNaN\b|\[object |\bnull\b/;

/** A count of zero says nothing. */
const NO_COUNT = /\b0 (?:of|other|was|were|may|accepted|refused|rejected|unknown|skipped)\b/;

const BAD_PUNCTUATION = /\.\.|\.,|,\.|: ?[:.]| [.,:]| {2}|[.,:] ?$/;

/** A single message that was not sent, with more than one sentence of advice. */
const TALKATIVE = /^Nothing was sent\. (?!Request ID).*(?<!e\.g)[.!?] (?!Request ID)/;

const WORDS_OF_A_CLAUSE = 5;

/**
 * Returns what is wrong with the text of an error. The harness checks every error that a test causes, so
 * no situation needs a test of its own.
 */
export function faultsOf({ message = '', description, context }: ErrorText): string[] {
  const title = withoutQuotes(message, context);
  const advice = withoutQuotes(description ?? '', context);
  const advised = new Set(clausesOf(advice));
  const repeated = clausesOf(title).filter((clause) => advised.has(clause));
  const longest = Math.max(...title.split('. ').map(({ length }) => length));
  const sentences = advice.split(/(?<=[.!?]) /);
  return [
    title === '' ? 'has no message' : '',
    longest > MAX_SENTENCE_LENGTH ? `has a message of ${longest} characters` : '',
    isReplaced(message) || isReplaced(description) ? 'is one that n8n replaces' : '',
    MISSING.test(`${title}\n${advice}`) ? 'names a missing value' : '',
    NO_COUNT.test(`${title}\n${advice}`) ? 'counts nothing' : '',
    BAD_PUNCTUATION.test(title) ? 'has a message with wrong punctuation' : '',
    BAD_PUNCTUATION.test(advice.replace(/[.!?]$/, '')) ? 'has wrong punctuation' : '',
    advice !== '' && !/[.!?…]$/.test(advice) ? 'has a description without an end' : '',
    TALKATIVE.test(advice) ? 'advises in more than one sentence' : '',
    repeated[0] ? `says twice "${repeated[0]}"` : '',
    new Set(sentences).size < sentences.length ? 'has the same sentence twice' : '',
  ].filter(Boolean);
}

/** Texts that n8n passes on as they are. To ask it again takes a tenth of some tests. */
const kept = new Set<unknown>(['', null, undefined]);

/** Whether n8n writes something else instead, when it passes a text on. */
function isReplaced(text?: string | null): boolean {
  if (kept.has(text)) return false;
  const isKept = new NodeOperationError({} as INode, text ?? '').message === text;
  if (isKept) kept.add(text);
  return !isKept;
}

/** @throws Error with everything that is wrong with the text of an error */
export function checkErrorText(error: unknown): void {
  if (typeof error !== 'object' || error === null) return;
  const faults = faultsOf(error as ErrorText);
  const { message, description } = error as ErrorText;
  if (faults.length > 0) {
    throw new TypeError(`An error ${faults.join(', ')}:\n${message}\n${description ?? ''}`);
  }
}

/** The node's own words, without quotations of the service or the user. */
function withoutQuotes(text: string, context: unknown): string {
  const { service = {} } = (context ?? {}) as { service?: Record<string, unknown> };
  const said = [service.msg, service.code, service.request_id]
    .filter((part) => typeof part === 'string')
    .map((part) => part.replace(/[\s.,;:。，；：…]+$/, ''))
    .filter((part) => part !== '');
  return said
    .reduce((own, part) => own.replaceAll(part, QUOTE), text)
    .replace(/\{\{[^]*?\}\}|"[^"]*"|'\W+'|https?:\/\/\S*[^\s.,]/g, QUOTE)
    .trim();
}

const QUOTE = '“”';

/** All sequences of five words. The label of a field is one word. */
function clausesOf(text: string): string[] {
  const labelled = text.replace(/'[A-Z][\w() ]*'/g, (label) => label.replaceAll(' ', ''));
  const words = labelled.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return words
    .slice(0, Math.max(0, words.length - WORDS_OF_A_CLAUSE + 1))
    .map((_, index) => words.slice(index, index + WORDS_OF_A_CLAUSE).join(' '));
}
