import type { Item, N8n } from '../n8n';
import { DEFAULT_RULES, type Rule } from '../rules';

/** The rules that the table starts with. */
export default function defaultRules({ $input }: N8n): Item<Rule>[] {
  return $input.all() && DEFAULT_RULES.map((json) => ({ json }));
}
