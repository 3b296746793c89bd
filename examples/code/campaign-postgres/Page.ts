import type { Item, N8n } from '../n8n';
import { progressPage } from '../progress';

const CAUSES =
  "outside the allowed hours, stopped, unpublished, in no workflow's Settings, or without a copy of the opt-outs";

/** The progress of the campaigns in the outbox. */
export default function page({ $input, $now }: N8n): Item[] {
  return progressPage({ $input, $now }, CAUSES);
}
