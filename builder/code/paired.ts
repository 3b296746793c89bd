import type { Item } from './n8n';

/** The one of these items that an item came from. */
export function sourceOf<Json>(
  { pairedItem }: Item<unknown>,
  items: Item<Json>[],
): Json | undefined {
  const index = typeof pairedItem === 'object' ? pairedItem.item : pairedItem;
  return index === undefined ? undefined : items[index]?.json;
}
