import type { Fields, Item, N8n } from '../n8n';

/** A row of sms_inbox. */
interface Reply extends Fields {
  id: number;
  phone_number: string;
  content: string;
  createdAt: string;
}

/** A row of sms_outbox. */
interface Sent extends Fields {
  phone_number: string;
  text: string | null;
  template: string | null;
  parameters: string | null;
  key: string | null;
  createdAt: string;
}

/** What somebody writes within this time is one message, if it has no answer yet. */
const BURST_MS = 10 * 60_000;

/** An answer's key in the outbox ends with the row of the reply that it answers. */
const KEY = 'conversation ';

/** "1", "TD" and the like are answers to other workflows. */
const KEYWORD = /^[\s\p{P}]*(\d{1,6}|[a-z]{1,2})?[\s\p{P}]*$/iu;

const time = (row: { createdAt: string }): number => new Date(row.createdAt).getTime();

/** The signature in front of a text as the customer gets it. The agent would write it too if it read it. */
const SIGNATURE = /^【[^】]*】/;

function textOf({ text, template, parameters }: Sent): string {
  return text?.replace(SIGNATURE, '') || `(${template ?? ''}) ${parameters ?? ''}`;
}

/** The conversation in the order in which it happened. */
function conversationOf(replies: readonly Reply[], sent: readonly Sent[]): string {
  return [
    ...replies.map((row) => ({ at: time(row), line: `Customer: ${row.content}` })),
    ...sent.map((row) => ({ at: time(row), line: `We: ${textOf(row)}` })),
  ]
    .toSorted((a, b) => a.at - b.at)
    .map(({ line }) => line)
    .join('\n');
}

/**
 * One item for each number whose newest reply is in this page. A number that has written again since then
 * is left to the execution with its newest reply: so each burst gets one answer.
 */
export default function whatToAnswer({ $, $input }: N8n): Item[] {
  const page = $input.all<Reply>().map(({ json }) => json);
  const stored = $('Get their replies').all<Reply>();
  const sends = $('Get what was sent to them').all<Sent>();
  const people = $('Get the taken numbers').all<{ phone_number?: string }>();
  const written = page.filter(
    ({ event, phone_number, content }) => event === 'reply' && phone_number && content,
  );

  return [...new Set(written.map(({ phone_number }) => phone_number))].flatMap((phone_number) => {
    const isTheirs = (item: { json: { phone_number?: string } }) =>
      item.json.phone_number === phone_number;
    const theirs = [
      ...stored.filter(isTheirs).map(({ json }) => json),
      ...written.filter((row) => row.phone_number === phone_number),
    ];
    const replies = [...new Map(theirs.map((row) => [row.id, row])).values()].toSorted(
      (a, b) => a.id - b.id,
    );
    const newest = replies.at(-1);
    if (newest === undefined || !written.some(({ id }) => id === newest.id)) return [];

    const sent = sends.filter(isTheirs).map(({ json }) => json);
    const answered = sent
      .filter(({ key }) => key?.startsWith(KEY))
      .map(({ key }) => Number(key?.slice(KEY.length)))
      .filter((id) => id <= newest.id);
    const unanswered = replies.filter(
      (row) => row.id > Math.max(0, ...answered) && time(newest) - time(row) <= BURST_MS,
    );
    if (unanswered.every(({ content }) => KEYWORD.test(content.normalize('NFKC')))) return [];

    return [
      {
        json: {
          phone_number,
          key: KEY + newest.id,
          text: unanswered.map(({ content }) => content).join('\n'),
          conversation: conversationOf(replies, sent),
          with_person: people.some(isTheirs),
        },
      },
    ];
  });
}
