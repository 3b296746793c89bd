class Markup {
  constructor(text) {
    this.text = text;
  }
}
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
function textOf(value) {
  if (value instanceof Markup) return value.text;
  return String(value ?? '').replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}
/** Escapes every value in the text, except what it has written itself. */
function safe(texts, ...values) {
  const written = values.map((value) => [value].flat().map(textOf).join(''));
  return new Markup(String.raw({ raw: texts }, ...written));
}
