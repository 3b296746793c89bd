import { BALANCE, NOWHERE } from './known';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';

/** What the answers to requests without key and signature show. */
export interface PathsSeen {
  /** The operations of the paths that exist, that do not, and where it cannot be told. */
  there: string[];
  missing: string[];
  open: string[];
  /** The HTTP status and the code for a balance without key. Empty where nothing was answered. */
  refusal: string;
  isOpenToAll: boolean;
}

/** Compares what each path answers with what one answers that surely exists, and one that surely does not. */
export default function whichExist({ $, $input }: N8n): Item<PathsSeen>[] {
  const answers = $input.all();
  const asked = $('Paths known by name only').all<{ path: string; operations?: string }>();
  const at = (wanted: string) =>
    answers[asked.findIndex(({ json: { path } }) => path === wanted)]?.json ?? {};
  const there = likeness(at(BALANCE));
  const nowhere = likeness(at(NOWHERE));
  const isTold = there !== '' && nowhere !== '' && there !== nowhere;
  const like = (wanted: string) =>
    asked.flatMap(({ json: { path, operations } }) => {
      const here = likeness(at(path));
      const told = isTold && [there, nowhere].includes(here) ? here : '';
      return operations !== undefined && told === wanted ? [operations] : [];
    });
  return [
    {
      json: {
        there: isTold ? like(there) : [],
        missing: isTold ? like(nowhere) : [],
        open: like(''),
        refusal: verdictOf(at(BALANCE)),
        isOpenToAll: String(at(BALANCE).data).includes('"balance"'),
      },
    },
  ];
}

/** What two answers have in common that mean the same. Empty where an answer says nothing of its request. */
function likeness(answer: Fields): string {
  const verdict = verdictOf(answer);
  if (verdict === '' || /^(?:5|408|429)/.test(verdict)) return '';
  const names = String(answer.data).match(/"\w+"\s*:/g) ?? [];
  return [verdict, ...names.sort()].join(' ');
}

function verdictOf({ statusCode, data }: Fields): string {
  if (statusCode === undefined) return '';
  const [, code] = /"code"\s*:\s*"?(-?\d{1,9})\b/.exec(String(data)) ?? [];
  return `${String(statusCode)} ${code ?? ''}`;
}
