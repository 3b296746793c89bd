import { LABELS } from './descriptions';
import { partsOf, textOf } from './markdown';
import type { Part } from './markdown';

/** What n8n's own editor shows, in the words of n8n 2.40, and nodes of n8n. */
const OF_N8N = [
  'Community nodes',
  'Continue (using error output)',
  'Continue',
  'Docs',
  'Execute step',
  'Execute Sub-workflow',
  'Fetch Test Event',
  'From file',
  'HTTP Request',
  'Human review',
  'Import',
  'Install',
  'On Error',
  'Migration report',
  'Publish',
  'Refresh Parameter List',
  'Remove Duplicates',
  'Retry On Fail',
  'Settings',
  'Stop Workflow',
  'Switch',
  'Tool',
  'Update',
  'Usage and plan',
];

const KNOWN = new Set([...LABELS, ...OF_N8N]);
const BY_LOWER_CASE = new Map([...KNOWN].map((label) => [label.toLowerCase(), label]));

const MOST_WORDS = 5;

/** The bold texts that look like a label and are none, and those whose case is wrong. */
export const wrongLabels = (page: Part): string[] =>
  partsOf(page, 'paragraph', 'tableCell').flatMap(({ children = [] }) =>
    children.flatMap((part, index) =>
      emphasised(part).flatMap(({ text, type }) => {
        // Bold words that begin a paragraph or list item are its heading.
        const mustBeKnown = type === 'strong' && index > 0 && isLike(text);
        return stepsOf(text).filter(
          (step) => !KNOWN.has(step) && (mustBeKnown || isMistyped(step)),
        );
      }),
    ),
  );

/** The bold texts of a Chinese page that are no labels: what is bold and not Chinese is in the editor. */
export const wrongLatinLabels = (page: Part): string[] =>
  partsOf(page, 'strong')
    .map((part) => textOf(part))
    .filter((text) => /[a-z]/i.test(text) && !/\p{Script=Han}/u.test(text))
    .flatMap(stepsOf)
    .filter((step) => !KNOWN.has(step));

const emphasised = (part: Part) =>
  partsOf(part, 'strong', 'emphasis').map((each) => ({ type: each.type, text: textOf(each) }));

const isLike = (text: string) =>
  /^[A-Z]/.test(text) && !/[.:]$/.test(text) && text.split(' ').length <= MOST_WORDS;

/** A way through menus names several labels. */
const stepsOf = (text: string) => text.replace(/[.:]$/, '').split(' → ');

/** Whether it is a label but for its case. */
const isMistyped = (text: string) => /^[A-Z]/.test(text) && BY_LOWER_CASE.has(text.toLowerCase());
