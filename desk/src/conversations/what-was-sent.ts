import { given, languageOf, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';
import { rowIn } from './threads';

/** The form of an answer, as it came. Nothing in it is certain. */
export type Sent = ReturnType<typeof whatWasSent>;

export default function whatWasSent({ $input }: N8n) {
  const { body = {}, headers } = $input.first<Request>().json;
  const field = (name: string) => given(body, name);
  const opened = rowIn(field('row'));
  const parameters = Object.keys(body)
    .filter((name) => /^n\d{1,2}$/.test(name) && field(name) !== '')
    .map((name) => [field(name), field(name.replace('n', 'p'))]);
  return {
    ...languageOf({ query: body, headers }),
    opened,
    /** The conversation as addresses name it. */
    row: opened.name,
    /** Empty if it is none. */
    token: /^[0-9a-f]{32}$/.test(field('token')) ? field('token') : '',
    template: field('template'),
    signature: field('signature'),
    parameters: Object.fromEntries(parameters) as Record<string, string>,
  };
}
