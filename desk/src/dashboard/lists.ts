import { groupBy } from '../common/records/groups';
import { countOf, figuresOf, isSentIn, type Figures, type Span } from './figures';
import type { Message, Rows } from './rows';
import type { Asked } from './what-was-asked';

/** What messages with something in common have come to. */
export type Line = Pick<Figures, 'unsent' | 'sent' | 'reported' | 'failed' | 'missing' | 'at'> & {
  name: string;
  template: string;
};

/** What is in the tables of the page: the worst and the latest of what is shown. */
export type Lists = ReturnType<typeof listsOf>;

/** The messages and replies that the page shows. */
interface Content extends Pick<Rows, 'messages' | 'replies'> {
  span: Span;
}

function linesOf(
  { messages, span }: Content,
  nameOf: (message: Message) => string | undefined,
): Line[] {
  return [...groupBy(messages, nameOf)]
    .map(([name, group]) => ({
      ...figuresOf(group, [], span),
      ...{ name, template: group[0]?.template ?? '' },
    }))
    .filter(({ unsent, sent, reported }) => unsent + sent + reported > 0);
}

/** Whether the page lists what has a status, and not the failures. */
export function isListed({ status }: Asked): boolean {
  return status !== '' && status !== 'failed';
}

/** A message as it is listed, or the newest of those that it stands for. */
function listedOf(message: Message) {
  const { send, report, template, state, newest } = message;
  const { status, text } = report ?? { status: undefined, text: '' };
  const own = { ...message, at: report?.at ?? send?.at ?? 0 };
  const all = newest?.map(([o, i, at, phone, batch]) => ({
    ...{ send: o ? { id: o } : undefined, report: { id: i }, at: Date.parse(at), phone, batch },
  }));
  return (all ?? [own]).map(({ send: sent, report: told, at, phone, batch }) => ({
    row: sent ? `o${sent.id}` : `i${told?.id}`,
    ...{ at, phone, template, batch, state, status, text, send },
  }));
}

/** Makes the lists. */
export function listsOf(content: Content, asked: Asked) {
  const { span, replies } = content;
  const isIn = (at: number | undefined) => at !== undefined && at >= span.from && at <= span.to;
  const messages = content.messages.filter(
    (message) => isSentIn(message, span) || isIn(message.report?.at),
  );
  const shown = { ...content, messages };
  const failed = messages.filter(({ report, state }) => state === 'failed' && isIn(report?.at));
  const newest = (isListed(asked) ? messages : failed).flatMap(listedOf);
  return {
    templates: linesOf(shown, ({ send, template }) => (send ? template || '–' : undefined))
      .sort((a, b) => b.unsent + b.sent - a.unsent - a.sent)
      .slice(0, 20),
    // A workflow that sends to one person at a time makes a batch of each message.
    batches: linesOf(shown, ({ send, batch }) => (send ? batch : undefined))
      .filter(({ name, sent, unsent }) => sent + unsent > 1 || name === asked.batch)
      .sort((a, b) => b.at - a.at)
      .slice(0, 10),
    reasons: [...groupBy(failed, ({ report }) => report?.status)]
      .map(([status, group]) => ({
        ...{ status, text: group[0]?.report?.text ?? '', count: countOf(group) },
      }))
      .sort((a, b) => b.count - a.count)
      .slice(0, 8),
    failed: countOf(failed),
    listed: newest.sort((a, b) => b.at - a.at).slice(0, isListed(asked) ? 20 : 12),
    replies: replies
      .filter(({ at }) => isIn(at))
      .sort((a, b) => b.at - a.at)
      .slice(0, 8)
      .map(({ id, at, phone, content: text }) => ({ row: `i${id}`, at, phone, content: text })),
  };
}
