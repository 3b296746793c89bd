import type { Item, N8n } from '../n8n';
import { progressPage } from '../progress';

/** The progress of the campaigns in the data table. */
export default function page({ $input, $now }: N8n): Item[] {
  return progressPage(
    { $input, $now },
    'outside the allowed hours, paused, stopped or unpublished',
  );
}
