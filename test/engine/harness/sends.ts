/** Parameters of sends that take what they send from the item, and items to send. */

export const TEMPLATE = {
  resource: 'message',
  operation: 'sendTemplate',
  templateId: { __rl: true, mode: 'id', value: '301' },
  signatureId: { __rl: true, mode: 'id', value: '201' },
  phoneNumbers: '={{ $json.phone }}',
  parameterMode: 'json',
  parametersJson: '={{ { code: $json.code, minutes: "5" } }}',
};

export const CUSTOM = {
  resource: 'message',
  operation: 'sendCustom',
  signatureId: { __rl: true, mode: 'id', value: '201' },
  phoneNumbers: '={{ $json.phone }}',
  content: '={{ $json.content }}',
};

export const phone = (index: number) => `138${String(10_000_000 + index)}`;

export const people = (count: number, extra: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    phone: phone(index),
    code: String(1000 + index),
    ...extra,
  }));

/** Whether a request has a message for one of the numbers of these indices: for `Fault.match`. */
export function isFor(...indices: number[]) {
  const phones = new Set(indices.map(phone));
  return ({ body }: { body: unknown }) =>
    (body as { messages: { phone_number: string }[] }).messages.some(({ phone_number }) =>
      phones.has(phone_number),
    );
}
