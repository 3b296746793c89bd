import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { recordsWithId } from '../../operations/records/answers';
import type { RecordKind } from '../../operations/records/kind';
import { fillPlaceholders, findPlaceholders } from '../../parameters/placeholders';
import type { Inspect, Inspection } from '../../sending/check';
import type { ServiceClient } from '../../service/client';
import { isObject } from '../../service/json';
import { queryAll } from '../../service/pages';
import { SIGNATURE } from '../signature/record';
import { isEnabled, paramCountOf, signatureIdOf, TEMPLATE } from '../template/record';

/*
 * For Check Only: what the service has on record about a message. Its lists are read, which costs
 * nothing, each record once in a run.
 */

/** Looks at messages of Send custom SMS. */
export function customInspector(client: ServiceClient): Inspect {
  const signatureOf = recordReader(client, SIGNATURE);
  return async ({ sms_sign_id: signatureId, content }) =>
    signed(await signatureOf(signatureId), { text: String(content), warnings: [] });
}

/** Looks at messages of Send template SMS. */
export function templateInspector(client: ServiceClient): Inspect {
  const templateOf = recordReader(client, TEMPLATE);
  const signatureOf = recordReader(client, SIGNATURE);
  return async ({ template_id: templateId, sms_sign_id: signatureId }, message) => {
    const { record: template, problem } = await templateOf(templateId);
    if (!template) return { problem, warnings: [] };
    const { params } = message as { params: Record<string, string> };
    const inspection = inspectTemplate(template, params);
    const ownSignature = signatureIdOf(template) ?? String(signatureId);
    if (ownSignature !== String(signatureId)) {
      inspection.warnings.push(
        `The template belongs to signature ${ownSignature}, not to ${String(signatureId)}`,
      );
    }
    return signed(await signatureOf(signatureId), inspection);
  };
}

function inspectTemplate(template: IDataObject, params: Record<string, string>): Inspection {
  const { content } = template;
  if (isEnabled(template) === false) {
    return { problem: `Template ${String(template.id)} is disabled`, warnings: [] };
  }
  if (typeof content !== 'string') {
    return { warnings: [`The service shows no text of template ${String(template.id)}`] };
  }
  const paramCount = paramCountOf(template);
  const { names, agrees } = findPlaceholders(content, paramCount);
  const text = fillPlaceholders(content, params, paramCount);
  if (!agrees) {
    const why = `The service states ${paramCount} parameters for the template, but its text shows ${names.length}`;
    return { text, warnings: [`${why}. Their names could not be checked`] };
  }
  const missing = names.filter((name) => !Object.hasOwn(params, name));
  const extra = Object.keys(params).filter((name) => !names.includes(name));
  return {
    text,
    ...(missing.length > 0 && { problem: `The template also needs ${missing.join(', ')}` }),
    warnings: extra.length > 0 ? [`The template has no parameter ${extra.join(', ')}`] : [],
  };
}

/** Counts the sender's name in, which stands before the text in brackets. */
function signed({ record, problem, isUnread }: Reading, inspection: Inspection): Inspection {
  const { text, warnings } = inspection;
  if (record && typeof record.name === 'string') {
    const name = record.name.replace(/^【|】$/g, '');
    return { ...inspection, text: text === undefined ? text : `【${name}】${text}` };
  }
  // The path of the list of signatures is inferred, so a list that cannot be read proves nothing.
  if (problem !== undefined && !isUnread) return { problem, ...inspection };
  const why = problem ?? 'The service shows no name of the signature';
  return { ...inspection, warnings: [...warnings, `${why}. Its name is not counted`] };
}

/** A record, or why there is none. */
interface Reading {
  record?: IDataObject;
  problem?: string;
  /** Only the list could not be read: the record may exist. */
  isUnread?: boolean;
}

/** Reads records by ID, each once. */
function recordReader(client: ServiceClient, kind: RecordKind) {
  const readings = new Map<string, Promise<Reading>>();
  return async (id: unknown): Promise<Reading> => {
    const key = String(id);
    let reading = readings.get(key);
    if (reading === undefined) readings.set(key, (reading = readRecord(client, kind, id)));
    return await reading;
  };
}

async function readRecord(
  client: ServiceClient,
  { noun, list }: RecordKind,
  id: unknown,
): Promise<Reading> {
  const filter = { [list.idField ?? 'id']: id } as IDataObject;
  try {
    // All pages, because a service may not search by ID.
    for await (const records of queryAll(client, list.endpoint.path, filter)) {
      const [record] = recordsWithId(records, id);
      if (record) return { record };
    }
    return { problem: `There is no ${noun} ${String(id)} in this account` };
  } catch (error) {
    const { message, description = '', context } = error as NodeApiError;
    const problem = `The ${noun} could not be read: ${message}. ${description}`.trim();
    return { problem, isUnread: isOnlyThis(context) };
  }
}

/** Whether only this list cannot be read. Otherwise a send would not get through either. */
function isOnlyThis({ service }: IDataObject = {}): boolean {
  if (!isObject(service)) return true;
  const { code, http_status: status } = service;
  return (code ?? status) !== undefined && status !== 401 && status !== 403;
}
