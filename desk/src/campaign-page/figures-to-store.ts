import { thresholdsIn } from '../common/messages/thresholds';
import type { N8n } from '../../../builder/code/n8n';
import { countsIn } from './cells';
import { figuresOf } from './figures';
import type { Asked } from './what-is-asked';

/** The figures of a campaign that was loaded, so that the first look at it counts nothing. */
export default function figuresToStore({ $ }: N8n): { id?: number; figures: string } {
  const { campaign } = $('What is asked').first<Asked>().json;
  const figures = figuresOf(countsIn({ $ }), thresholdsIn($('Thresholds').all()));
  return { id: campaign?.id, figures: JSON.stringify(figures) };
}
