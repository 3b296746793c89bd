/** The failed pulls of the inbox. n8n tells them to this workflow, which is the error workflow of the inbox. */
import type { Fields, N8n } from '../../../builder/code/n8n';

/** Pulls that failed one after the other. Times are in Unix milliseconds. */
export interface FailedPulls {
  since: number;
  at: number;
  count: number;
  reason: string;
  /** Until then n8n may wait before it tries again. */
  next: number;
}

/**
 * Keeps that a pull has failed beside the tables, which may be what is away. An execution that failed is none: its
 * records were pulled.
 */
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
  const memory = $getWorkflowStaticData('global') as { failedPulls?: FailedPulls };
  const at = $now.toMillis();
  const reason = String(trigger.error?.message ?? '').slice(0, 300);
  const last = memory.failedPulls;
  const { since, count } = last && at <= last.next ? last : { since: at, count: 0 };
  // So long it waits at most, and a little more.
  memory.failedPulls = { since, at, count: count + 1, reason, next: at + 35 * 60_000 };
  return [];
}
