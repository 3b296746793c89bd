import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from '../../operations/operation';
import { findRecord } from '../../operations/records';
import { signatureLocator } from '../../parameters/locators';
import { requireId } from '../../parameters/values';
import type { Inspect, Inspection } from '../../sending/run';
import { ownSignatureWarning, signedText } from '../../sending/text';
import type { ServiceClient } from '../../service/client';
import { textOf } from '../../service/json';
import { SIGNATURE } from '../signature';
import { isEnabled, reviewWarning, signatureIdOf, TEMPLATE, textIn } from '../template';

/*
 * For a check: compares messages with what the service has on record. Only the lists are read, which costs
 * nothing.
 */

/** Inspects the messages of the operation "Send custom SMS". */
export function customInspector(client: ServiceClient): Inspect {
  const look = lookUps(client);
  return async ({ sms_sign_id: signatureId, content }) =>
    signed(await look(SIGNATURE, signatureId), { text: String(content), warnings: [] });
}

/** Inspects the messages of the operation "Send template SMS". */
export function templateInspector(client: ServiceClient): Inspect {
  const look = lookUps(client);
  return async ({ template_id: templateId, sms_sign_id: signatureId }, message) => {
    const template = await look(TEMPLATE, templateId);
    if (template.kind === 'missing') return { problem: template.why, warnings: [] };
    if (template.kind !== 'found') return { warnings: [template.why] };
    const { params } = message as { params: Record<string, string> };
    const inspection = inspectTemplate(template.record, params);
    const own = signatureIdOf(template.record);
    const sender = signatureId ?? (own && requireId(signatureLocator.displayName, own));
    return signed(await look(SIGNATURE, sender), inspection);
  };
}

/** Compares the text of a template with the parameters of a message. */
function inspectTemplate(template: IDataObject, params: Record<string, string>): Inspection {
  const { content, stated, names, agrees, fill } = textIn(template);
  const subject = `Template ${String(template.id)}`;
  const warnings = reviewWarning(template, subject);
  if (isEnabled(template) === false) return { problem: `${subject} is disabled`, warnings };
  if (content === undefined) {
    const noText = `The service shows no text of template ${String(template.id)}`;
    return { warnings: [...warnings, noText] };
  }
  const text = fill(params);
  if (!agrees) {
    const why = `The service states ${stated} parameters for the template, but its text shows ${names.length}`;
    return { text, warnings: [...warnings, `${why}. Their names could not be checked`] };
  }
  const missing = names.filter((name) => !Object.hasOwn(params, name));
  const extra = Object.keys(params).filter((name) => !names.includes(name));
  if (extra.length > 0) warnings.push(`The template has no parameter ${extra.join(', ')}`);
  if (missing.length === 0) return { text, warnings };
  return { text, warnings, problem: `The template also needs ${missing.join(', ')}` };
}

/** Adds the sender's name, which counts as text. */
function signed(signature: Lookup, inspection: Inspection): Inspection {
  const { text } = inspection;
  if (text === undefined) return inspection;
  const isFound = signature.kind === 'found';
  const name = isFound ? textOf(signature.record.name) : '';
  const why = isFound ? 'The service shows no name of the signature' : signature.why;
  const warnings = [
    ...inspection.warnings,
    ...(signature.kind === 'none' ? [] : ownSignatureWarning(text, name)),
    ...(name === '' ? [why, 'Its name is not counted'] : []),
  ];
  return { ...inspection, warnings, text: name === '' ? text : signedText(name, text) };
}

/** What the lists of the service say about one record. `unknown`: the list could not be read. `none`: no ID. */
type Lookup =
  { kind: 'found'; record: IDataObject } | { kind: 'missing' | 'none' | 'unknown'; why: string };

/** Looks up records, each at most once per run. */
function lookUps(client: ServiceClient): (kind: RecordKind, id: unknown) => Promise<Lookup> {
  const found = new Map<string, Promise<Lookup>>();
  return async (kind, id) => {
    const key = `${kind.noun} ${String(id)}`;
    const lookup = found.get(key) ?? find(client, kind, id);
    found.set(key, lookup);
    return await lookup;
  };
}

async function find(client: ServiceClient, kind: RecordKind, id: unknown): Promise<Lookup> {
  if (id === undefined) return { kind: 'none', why: `No ${kind.noun} is chosen` };
  try {
    const record = await findRecord(client, kind, id);
    if (record) return { kind: 'found', record };
    return { kind: 'missing', why: `There is no ${kind.noun} ${String(id)} in this account` };
  } catch (error) {
    const { message } = error as Error;
    return { kind: 'unknown', why: `The ${kind.noun} could not be checked: ${message}` };
  }
}
