import type { N8n } from '../../../builder/code/n8n';

export default function rememberTheMail({ $, $now, $getWorkflowStaticData }: N8n): [] {
  const memory = $getWorkflowStaticData('global');
  type Mailed = { name: string; isOver: boolean }[];
  const { mailed } = $('Find what is wrong').first<{ mailed: Mailed }>().json;
  const news = mailed.map(({ name, isOver }) => [name, { at: $now.toISO(), isOver }]);
  memory.alarms = { ...(memory.alarms as object), ...Object.fromEntries(news) };
  return [];
}
