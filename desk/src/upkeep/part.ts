import type { Item, N8n } from '../../../builder/code/n8n';
import { lineOf, type Line, type Row } from '../common/messages/outbox';

/** What matters about the rows of a part, as one item. */
export default function part({ $input, $now }: N8n): Item<Line>[] {
  return [{ json: lineOf($input.all<Row>(), $now) }];
}
