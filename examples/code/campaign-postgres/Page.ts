import type { Item, N8n } from '../n8n';
import { progressPage, type Count } from '../progress';

/** The progress of the campaigns in the outbox. */
export default function page({ $input, $now }: N8n): Item[] {
  return progressPage(
    $input.all<Count>().map(({ json }) => json),
    {
      $now,
      causes:
        "outside the allowed hours, below the balance, unpublished, in no workflow's Settings, or the opt-outs could not be read",
    },
  );
}
