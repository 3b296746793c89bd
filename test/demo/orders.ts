/** What a customer's phone number looks like if somebody has mistyped it. */
export const MISTYPED_NUMBER = '1380000abcd';

/** An order with a phone number of its own. The sandbox fails numbers that end in 0001 to 0003. */
export function order(index: number) {
  const group = String(2000 + Math.floor(index / 50));
  return {
    phone: `138${group}${String(index % 50).padStart(4, '0')}`,
    name: `Customer ${index + 1}`,
    order: `A-${1001 + index}`,
    date: '2026-06-03',
  };
}

/** The first orders, each once. */
export function firstOrders(count: number) {
  return Array.from({ length: count }, (_, index) => order(index));
}

/** An order that nobody can get an SMS for. */
export function mistypedOrder(index: number) {
  return { ...order(index), phone: MISTYPED_NUMBER };
}
