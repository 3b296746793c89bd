import { given, langOf, type Lang, type Request } from '../../../builder/code/lang';
import type { Item, N8n } from '../../../builder/code/n8n';
import { rowIn, rowName, type RowName } from './threads';

/** The form of an answer, as it came. Nothing in it is certain. */
export interface Sent {
  lang: Lang;
  keepsLang: boolean;
  opened: RowName;
  /** The conversation as addresses name it. */
  row: string;
  /** Empty if it is none. */
  token: string;
  template: string;
  signature: string;
  parameters: Record<string, string>;
}

/** No template has as many parameters. */
const MAX_PARAMETERS = 50;

/** Reads the form. */
export default function whatWasSent({ $input }: N8n): Item<Sent>[] {
  const { body, headers } = $input.first<Request>().json;
  const field = (name: string) => given(body, name);
  const opened = rowIn(field('row'));
  const indexes = Array.from({ length: MAX_PARAMETERS }, (_, index) => index);
  const parameters = Object.fromEntries(
    indexes
      .filter((index) => field(`n${index}`) !== '')
      .map((index) => [field(`n${index}`), field(`p${index}`)]),
  );
  return [
    {
      json: {
        lang: langOf({ query: body, headers }),
        keepsLang: field('lang') !== '',
        opened,
        row: rowName(opened),
        token: /^[0-9a-f]{32}$/.test(field('token')) ? field('token') : '',
        template: field('template'),
        signature: field('signature'),
        parameters,
      },
    },
  ];
}
