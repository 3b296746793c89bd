import type { Fields, N8n } from '../../../builder/code/n8n';
import { failedPullsIn, withFailure } from './pulls';

/** Keeps that a pull has failed. An execution that failed is none: its records were pulled. */
export default function rememberTheFailedPull({
  $input,
  $now,
  $workflow,
  $getWorkflowStaticData,
}: N8n): [] {
  const { trigger, workflow } = $input.first<{
    trigger?: { error?: Fields };
    workflow?: Fields;
  }>().json;
  if (!trigger || workflow?.id === $workflow.id) return [];
  const memory = $getWorkflowStaticData('global');
  const reason = String(trigger.error?.message ?? '').slice(0, 300);
  memory.failedPulls = withFailure(failedPullsIn(memory), $now.toMillis(), reason);
  return [];
}
