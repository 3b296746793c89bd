import { readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import type { findPlaceholders } from '../../nodes/SmsMessagingService/parameters/placeholders';
import type { recordsIn } from '../../nodes/SmsMessagingService/receiving/recognise';
import type { readAnswer } from '../../nodes/SmsMessagingService/service/answer';
import type { findListEnvelope } from '../../nodes/SmsMessagingService/service/listEnvelope';
import type { endingOf } from '../../nodes/SmsMessagingService/service/statement';

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
  verdict: 'works' | 'to set' | 'ask your SMS provider' | 'cannot be told';
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
  reportInN8n(
    requests: { json: CheckRequest }[],
    items: { json: object }[],
    executionId: string,
  ): Report & { page: string };
  LISTS: { fields: string[]; optional?: string[] }[];
  INFERRED: { path: string }[];
}

/** What the nodes themselves make of an answer. */
export interface Rules {
  readAnswer: typeof readAnswer;
  endingOf: typeof endingOf;
  findListEnvelope: typeof findListEnvelope;
  recordsIn: typeof recordsIn;
  findPlaceholders: typeof findPlaceholders;
}

/** The files of the nodes that are part of the check, each after those that it imports. */
const RULES = [
  'service/json',
  'service/sentences',
  'service/resultCodes',
  'service/words',
  'service/statement',
  'service/answer',
  'service/listEnvelope',
  'receiving/events',
  'receiving/recognise',
  'receiving/items',
  'parameters/placeholders',
];

const PARTS = [
  'plan',
  'answers',
  'access',
  'lists',
  'templates',
  'paths',
  'pulls',
  'report',
  'page',
];

/** The text of the Code node “Requests” in examples/service-check.json. */
export const planText = textOf('plan');

/** The text of the Code node “Report”: what the nodes do with an answer, and what the check says of it. */
export const checkText = [
  '// --- What the nodes do with an answer: their own code, without types ---\n',
  // json.ts marks long numbers with it where it writes them. Nothing is written here.
  "const randomUUID = () => 'mark';\n",
  ...RULES.map(ruleText),
  ...PARTS.map(textOf),
].join('\n');

function textOf(part: string): string {
  return readFileSync(path.join(__dirname, `${part}.js`), 'utf8');
}

/** A file of the nodes as plain JavaScript, without imports. What it exports are constants then. */
export function ruleText(file: string): string {
  const name = path.join(__dirname, `../../nodes/SmsMessagingService/${file}.ts`);
  const { outputText } = ts.transpileModule(readFileSync(name, 'utf8'), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      // A comment that changes in the nodes changes no workflow.
      removeComments: true,
    },
  });
  const names = [...outputText.matchAll(/^export (?:function|const) (\w+)/gm)].map(
    ([, each]) => each,
  );
  const inner = outputText.replace(/^import .*\n/gm, '').replace(/^export /gm, '');
  return `const { ${names.join(', ')} } = (() => {\n${inner}return { ${names.join(', ')} };\n})();\n`;
}

const OWN = 'plan, report, failureOf, reportInN8n, LISTS, INFERRED';
const OF_NODES = 'readAnswer, endingOf, findListEnvelope, recordsIn, findPlaceholders';

/** The functions of the text, which exports nothing because a Code node could not. */
export const check = new Function(
  `${checkText}\nreturn { ${OWN}, rules: { ${OF_NODES} } };`,
)() as Check & { rules: Rules };
