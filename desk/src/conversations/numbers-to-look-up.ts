import type { N8n } from '../../../builder/code/n8n';
import { read, threadsOf, type Received, type Send } from './threads';
import type { Asked } from './what-was-asked';

/**
 * The numbers about which more must be known: the one whose conversation is open, or those of the list that
 * seem to wait for an answer. Theirs may be older than the messages that were read.
 */
export default function numbersToLookUp({ $ }: N8n): { phone_number: string }[] {
  if ($('What was asked').first<Asked>().json.opened.id > 0) {
    const { phone_number } = $('Opened message').first<{ phone_number?: string }>().json;
    return [{ phone_number: phone_number ?? '' }];
  }
  const sends = read<Send>($('Messages sent').all());
  const replies = read<Received>($('Replies and reports').all());
  return threadsOf(sends, replies, new Set())
    .filter(({ waits }) => waits)
    .map(({ phone }) => ({ phone_number: phone }));
}
