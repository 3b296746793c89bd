import type { N8n } from '../../../builder/code/n8n';
import { Rules, type Rule } from '../common/messages/rules';

/** The rules that a table lacks: all, or those that an earlier version did not have. */
export default function defaultRules({ $input }: N8n): Rule[] {
  const rows = $input.all<Partial<Rule>>();
  return new Rules(rows).lacking(rows);
}
