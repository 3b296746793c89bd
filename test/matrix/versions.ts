/**
 * Version of n8n → version of its n8n-core: the oldest supported one, the last 1.x, the first 2.x,
 * two in between, and the newest.
 */
export const VERSIONS: Record<string, string> = {
  '1.100': '1.99.0',
  '1.123': '1.122.48',
  '2.0': '2.0.2',
  '2.20': '2.20.6',
  '2.31': '2.31.2',
  '2.41': '2.41.1',
};
