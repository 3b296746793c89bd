import { alarmsIn, type News } from './alarms';
import type { N8n } from '../../../builder/code/n8n';

export default function rememberTheMail({ $, $now, $getWorkflowStaticData }: N8n): [] {
  const memory = $getWorkflowStaticData('global');
  const { mailed } = $('Find what is wrong').first<{ mailed: News[] }>().json;
  const at = $now.toISO() ?? '';
  const news = mailed.map(({ name, isOver }) => [name, { at, isOver }]);
  memory.alarms = { ...alarmsIn(memory), ...Object.fromEntries(news) };
  return [];
}
