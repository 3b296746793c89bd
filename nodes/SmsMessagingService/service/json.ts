import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with named fields: no array, and not null. */
export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object or array from JSON, with long numbers as text. Undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(keepDigits(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const JSON_TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Turns whole numbers that are too long for JavaScript into text, so that no digit is lost. */
function keepDigits(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replace(JSON_TEXT_OR_NUMBER, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}
