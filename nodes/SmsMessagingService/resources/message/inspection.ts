import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from '../../operations/operation';
import { findRecord } from '../../operations/records';
import { signatureLocator } from '../../parameters/locators';
import { requireId } from '../../parameters/values';
import type { Inspect, Inspection } from '../../sending/run';
import { leftoverWarning, ownSignatureWarning, signedText } from '../../sending/text';
import { adviceOn } from '../../service/advice';
import type { ServiceClient } from '../../service/client';
import { balanceIn, getBalance } from '../balance';
import { SIGNATURE } from '../signature';
import { isEnabled, reviewWarning, signatureIdOf, TEMPLATE, textIn } from '../template';

/*
 * For a check: compares messages with what the service has on record. Only the balance and the lists are
 * read, which costs nothing.
 */

/** Inspects the messages of the operation "Send custom SMS". */
export const customInspector = inspector(
  async (service, { sms_sign_id: signatureId, content: given }) => {
    const text = String(given);
    return signed(await service.signature(signatureId), { text, warnings: leftoverWarning(text) });
  },
);

/** Inspects the messages of the operation "Send template SMS". */
export const templateInspector = inspector(
  async (service, { template_id: templateId, sms_sign_id: signatureId }, message) => {
    const template = await service.template(templateId);
    if (template.kind === 'missing') return { problem: template.why, warnings: [] };
    const { params } = message as { params: Record<string, string> };
    const inspection =
      template.kind === 'found'
        ? inspectTemplate(template.record, params)
        : { warnings: [template.why] };
    if (inspection.problem === undefined) {
      // The values too: not all of them are in the text, if it is known at all.
      const shown = [inspection.text, ...Object.values(params)].join('\n');
      inspection.warnings.push(...leftoverWarning(shown));
    }
    if (template.kind !== 'found') return inspection;
    const own = signatureIdOf(template.record);
    const sender = signatureId ?? (own && requireId(signatureLocator.displayName, own));
    if (own !== undefined && own !== String(sender)) {
      inspection.warnings.push(
        `The template belongs to signature ${own}, not to ${String(sender)}`,
      );
    }
    return signed(await service.signature(sender), inspection);
  },
);

/** An account with an obstacle has the same one for each message. */
function inspector(inspect: (service: Service, ...of: Parameters<Inspect>) => Promise<Inspection>) {
  return (client: ServiceClient): Inspect => {
    const service = new Service(client);
    return async (...of) => (await service.obstacle()) ?? (await inspect(service, ...of));
  };
}

/** Compares the text of a template with the parameters of a message. */
function inspectTemplate(template: IDataObject, params: Record<string, string>): Inspection {
  const { content, stated, names, agrees, fill } = textIn(template);
  const subject = `Template ${String(template.id)}`;
  const warnings = reviewWarning(template, subject);
  if (isEnabled(template) === false) return { problem: `${subject} is disabled`, warnings };
  if (content === undefined) {
    warnings.push(`The service shows no text of template ${String(template.id)}`);
    return { warnings };
  }
  const text = fill(params);
  if (!agrees) {
    const why = `The service states ${stated} parameters for the template, but its text shows ${names.length}`;
    warnings.push(`${why}. Their names could not be checked`);
    return { text, warnings };
  }
  const missing = names.filter((name) => !Object.hasOwn(params, name));
  const extra = Object.keys(params).filter((name) => !names.includes(name));
  if (extra.length > 0) warnings.push(`The template has no parameter ${extra.join(', ')}`);
  const problem = `The template also needs ${missing.join(', ')}`;
  return { text, ...(missing.length > 0 && { problem }), warnings };
}

/** Why an account with nothing left sends nothing. Undefined if the answer does not show it is empty. */
function emptyAccount(answer: unknown): Inspection | undefined {
  const balance = balanceIn(answer);
  if (balance === undefined || balance > 0) return undefined;
  const problem = `The balance of the account is ${balance}`;
  return { problem, warnings: ['Top up the account before you send'] };
}

/** Adds the sender's name. */
function signed(signature: Lookup, inspection: Inspection): Inspection {
  const { text } = inspection;
  if (signature.kind === 'missing') return { problem: signature.why, ...inspection };
  const shown = signature.kind === 'found' ? signature.record.name : undefined;
  const name = typeof shown === 'string' ? shown : undefined;
  const isAdded = text !== undefined && signature.kind !== 'none';
  const warnings = [...inspection.warnings, ...(isAdded ? ownSignatureWarning(text, name) : [])];
  if (name !== undefined) {
    return { ...inspection, warnings, text: text === undefined ? text : signedText(name, text) };
  }
  const reason =
    signature.kind === 'found' ? 'The service shows no name of the signature' : signature.why;
  return { ...inspection, warnings: [...warnings, reason, 'Its name is not counted'] };
}

/** What the lists of the service say about one record. `unknown`: the list could not be read. `none`: no ID. */
type Lookup =
  { kind: 'found'; record: IDataObject } | { kind: 'missing' | 'none' | 'unknown'; why: string };

/** Reads the balance and individual records, each at most once per run. */
class Service {
  private readonly lookups = new Map<string, Promise<Lookup>>();

  private account?: Promise<Inspection | undefined>;

  constructor(private readonly client: ServiceClient) {}

  /** Why no message would get through: the account is refused or empty, or the service is unreachable. */
  async obstacle(): Promise<Inspection | undefined> {
    return await (this.account ??= this.readAccount());
  }

  async template(id: unknown): Promise<Lookup> {
    return await this.read(TEMPLATE, id);
  }

  async signature(id: unknown): Promise<Lookup> {
    if (id === undefined) return { kind: 'none', why: 'No signature is chosen' };
    return await this.read(SIGNATURE, id);
  }

  private async readAccount(): Promise<Inspection | undefined> {
    const exchange = await this.client.exchange(getBalance.endpoint.path, {});
    if (exchange.kind === 'answered') return emptyAccount(exchange.body);
    if (exchange.kind !== 'refused' && exchange.kind !== 'unreachable') return undefined;
    return { problem: exchange.reason, warnings: [adviceOn(exchange, { task: 'account' })] };
  }

  private async read(kind: RecordKind, id: unknown): Promise<Lookup> {
    const key = `${kind.noun} ${String(id)}`;
    const lookup = this.lookups.get(key) ?? this.find(kind, id);
    this.lookups.set(key, lookup);
    return await lookup;
  }

  private async find(kind: RecordKind, id: unknown): Promise<Lookup> {
    try {
      const record = await findRecord(this.client, kind, id);
      if (record) return { kind: 'found', record };
      return { kind: 'missing', why: `There is no ${kind.noun} ${String(id)} in this account` };
    } catch (error) {
      const { message } = error as Error;
      return { kind: 'unknown', why: `The ${kind.noun} could not be checked: ${message}` };
    }
  }
}
