import { given, languageOf, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';
import { MOST_LINES } from './most';

export type Asked = ReturnType<typeof whatIsAsked>;

/** What a press gives: a number in each line. A line without a digit is a heading, and nothing to add. */
function linesOf(text: unknown, action: string): string[] {
  const lines = (typeof text === 'string' ? text : '').trimEnd().split('\n');
  return lines.map((line) => (action === 'add' && !/\p{Nd}/u.test(line) ? '' : line.trim()));
}

/** Reads the address, or what was pressed. A list is changed once by each page, as a whole or not at all. */
export default function whatIsAsked({ $ }: N8n) {
  if ($('Button is pressed').isExecuted) return pressed({ $ });
  const request = $('Page is opened').first<Request>().json;
  const isFile = given(request.query, 'format') === 'csv';
  return { ...languageOf(request), action: '', problem: '', numbers: null, search: '', isFile };
}

function pressed({ $ }: Pick<N8n, '$'>) {
  const request = $('Button is pressed').first<Request>().json;
  const { body } = request;
  const action = /^(add|remove)$/.exec(given(body, 'action'))?.[0] ?? '';
  const lines = linesOf(body?.numbers, action);
  const isKnown = $('Use the token').first<{ token?: string }>().json.token;
  const why = !isKnown ? 'outdated' : lines.length > MOST_LINES ? 'long' : '';
  return {
    ...languageOf(request),
    action,
    /** Why nothing is done. */
    problem: action && why,
    numbers: action && !why ? lines : null,
    /** Four digits, or a number. */
    search: given(body, 'search'),
    isFile: false,
  };
}
