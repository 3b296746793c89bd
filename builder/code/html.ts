/** HTML that is safe as it is. */
export class Markup {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A value as HTML: escaped, unless it is markup. */
export function textOf(value: unknown): string {
  if (value instanceof Markup) return value.text;
  return String(value ?? '').replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}

/** Escapes every value in the text, except what it has written itself. */
export function safe(texts: TemplateStringsArray, ...values: unknown[]): Markup {
  const written = values.map((value) => [value].flat().map(textOf).join(''));
  return new Markup(String.raw({ raw: texts }, ...written));
}
