import type { Item, N8n } from '../n8n';

/** Keeps which alert has gone out, so that the next hour does not repeat it. */
export default function rememberTheStep({ $, $getWorkflowStaticData }: N8n): Item[] {
  const { day, step } = $('Find a new step down').first().json;
  Object.assign($getWorkflowStaticData('global'), { day, step });
  return [{ json: { day, step } }];
}
