import type { Item, N8n } from '../../../builder/code/n8n';
import { DEFAULT_RULES, type Rule } from '../common/messages/rules';

/** The rules that an empty table starts with. */
export default function defaultRules({ $input }: N8n): Item<Rule>[] {
  const isEmpty = $input.all<Partial<Rule>>().every(({ json }) => json.class === undefined);
  return isEmpty ? DEFAULT_RULES.map((json) => ({ json })) : [];
}
