import type { Item, N8n } from '../n8n';

interface Settings {
  threshold: number;
}

/** The last alert. n8n keeps it beside the data tables. */
interface Memory {
  day?: string;
  step?: number;
}

/** 0: enough; 1: below the threshold; 2: below a tenth of it; 3: nothing left. */
function stepOf(balance: number, threshold: number): number {
  if (balance >= threshold) return 0;
  if (balance <= 0) return 3;
  return balance < threshold / 10 ? 2 : 1;
}

const STEPS = ['', 'is below the threshold', 'is below a tenth of the threshold', 'is used up'];

/** The alert that has not gone out today, if there is one: each step down once a day. */
export default function aNewStep({ $, $now, $getWorkflowStaticData }: N8n): Item[] {
  const { threshold } = $('Settings').first<Settings>().json;
  const { balance } = $('Read the balance').first<{ balance: number }>().json;
  const { day, step: last = 0 }: Memory = $getWorkflowStaticData('global');
  const today = $now.toFormat('yyyy-MM-dd');
  const step = stepOf(balance, threshold);
  if (step <= (day === today ? last : 0)) return [];
  return [{ json: { balance, threshold, day: today, step, what: STEPS[step] } }];
}
