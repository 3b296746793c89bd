import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import {
  inputError,
  SYSTEM_ERRORS,
  toNodeError,
  unreplaced,
} from '../../../nodes/SmsMessagingService/n8n/errors';
import { serviceError } from '../../../nodes/SmsMessagingService/service/errors';

const node = { name: 'SMS' } as INode;

/** What n8n makes of the message of an error when it passes it on. */
const passedOn = (text: string) => new NodeOperationError(node, new Error(text)).message;

test('the list has every name that this version of n8n looks for', () => {
  // `npm run matrix` has other versions.
  const { MATRIX_FOLDER: other } = process.env;
  const installed = other ? path.resolve(other, 'node_modules/n8n-workflow') : 'n8n-workflow';
  const folder = path.dirname(require.resolve(installed));
  const source = readFileSync(path.join(folder, 'errors/abstract/node.error.js'), 'utf8');
  const words = new Set(source.match(/\b[A-Z][A-Z_]{3,}\b/g));
  const found = [...words].filter((word) => passedOn(word) !== word);
  expect(found.length).toBeGreaterThan(0);
  expect(SYSTEM_ERRORS).toEqual(expect.arrayContaining(found));
});

test.each([
  ['The connection broke (ECONNRESET)', 'The connection broke (E-CONNRESET)'],
  ['preexisting: EEXIST', 'pre-existing: E-EXIST'],
  ['UpdatePermission denied', 'Update-Permission denied'],
  ['connect etimedout', 'connect e-timedout'],
  // n8n compares capitals, and these letters have others than one expects.
  ['eexıſt, EEXI\ufb06', 'e-exıſt, E-EXI\ufb06'],
  ['getaddrinfo ENOTFOUND db', 'g-etaddrinfo E-NOTFOUND db'],
  ['nothing of that kind', 'nothing of that kind'],
])('%j becomes %j', (text, expected) => {
  expect(unreplaced(text)).toBe(expected);
});

const casing = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((capitals) => [...name.toLowerCase()].map((c, i) => (capitals[i] ? c.toUpperCase() : c)))
    .map((letters) => letters.join(''));

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SYSTEM_ERRORS).chain(casing),
      fc.constantFrom('E', 'EE', 'X', '-', 'ſ', '短信', '😀', '\ud83d'),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
  )
  .map((parts) => parts.join(''));

test('n8n passes on every text, which has gained nothing but hyphens', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const kept = unreplaced(text);
      expect(passedOn(kept)).toBe(kept);
      expect(kept.replaceAll('-', '')).toBe(text.replaceAll('-', ''));
      expect(unreplaced(kept)).toBe(kept);
      if (passedOn(text) === text) expect(kept).toBe(text);
    }),
  );
});

test('errors have such texts, and the words of the service stay exact beside them', () => {
  const text = 'connect ECONNREFUSED';
  const kept = { message: 'connect E-CONNREFUSED', description: 'Why: E-PERM' };
  const description = 'Why: EPERM';
  expect(inputError(node, text, { description })).toMatchObject(kept);
  expect(toNodeError(node, Object.assign(new Error(text), { description }))).toMatchObject(kept);
  expect(serviceError(node, text, { msg: text }, { description })).toMatchObject({
    ...kept,
    context: { service: { msg: text } },
  });
});
