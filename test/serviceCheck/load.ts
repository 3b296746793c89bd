import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A POST to a path under the Base URL. */
export interface CheckRequest {
  path: string;
  /** JSON text. */
  body: string;
  signed: boolean;
}

/** A request and what came of it: an answer, or why there is none. */
export type CheckAnswer = CheckRequest &
  ({ status: number; location?: string; text: string } | { failure: string });

export interface Row {
  about: string;
  found: string;
  verdict: 'works' | 'to set' | 'ask the operator' | 'cannot be told';
}

export interface Setting {
  /** As the editor shows it. */
  setting: string;
  where: string;
  why: string;
}

export interface Report {
  /** One sentence or two. */
  summary: string;
  rows: Row[];
  settings: Setting[];
  /** What else to know. */
  texts: string[];
}

interface Check {
  plan(options?: { pull?: boolean }): CheckRequest[];
  report(answers: CheckAnswer[], kept?: string): Report;
  /** Why there is no answer, by the code or message of an error. */
  failureOf(error: string): string;
  readMarks(text: string, paramCount?: number): { agrees: boolean };
  reportInN8n(
    requests: { json: CheckRequest }[],
    items: { json: object }[],
    executionId: string,
  ): Report & { page: string };
  LISTS: { fields: Record<string, string> }[];
  PULLS: { fields: Record<string, string> }[];
  INFERRED: { path: string }[];
}

const NAMES = 'plan, report, failureOf, readMarks, reportInN8n, LISTS, PULLS, INFERRED';

/** The text that the Code nodes of examples/service-check.json hold too. */
export const checkText = readFileSync(path.join(__dirname, 'check.js'), 'utf8');

/** The functions in check.js, which exports nothing because a Code node could not. */
export const check = new Function(`${checkText}\nreturn { ${NAMES} };`)() as Check;
