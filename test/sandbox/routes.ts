import { CODES, Refusal } from './codes';
import type { ListShape, PageRequest } from './lists';
import { pageOf } from './lists';
import type { Queue } from './queue';
import type { Paged } from './records';
import type { Lead, Qualification, Signature, Template } from './seeds';
import * as seed from './seeds';
import type { OutgoingMessage, ManagedList, SandboxState } from './state';
import { placeholders, render } from './text';

/** What a route needs besides the body. */
export interface RouteContext {
  state: SandboxState;
  /** Whether a pull removes records from the queue. */
  consume: boolean;
  maxCount: number;
  maxPageSize: number;
  /** Accepts the messages of a send, or those that a fault leaves. */
  accept: SandboxState['send'];
}

/**
 * What one operation does. Its request is signed, and the body matches the contract.
 * `answer` and `page` throw a Refusal to refuse the request with a business code.
 */
export type Route = {
  path: string;
} & (
  | { answer: (body: never, context: RouteContext) => unknown }
  | {
      /** The shape of this list in the specification. */
      shape: Exclude<ListShape, 'specification'>;
      page: (body: never, context: RouteContext) => Paged;
    }
);

interface Id {
  id: number;
}

// --- Sends ---

interface TemplateSend {
  template_id: number;
  /** Default: the template's own. */
  sms_sign_id?: number;
  messages: { phone_number: string; params?: Record<string, string>; phone_data?: string }[];
  phone_data?: string;
  user_data?: string;
}

function sendTemplate(body: TemplateSend, context: RouteContext) {
  const { state } = context;
  const template = state.templates.get(body.template_id);
  if (!template) {
    throw new Refusal(CODES.unknownTemplate, `模板不存在 (template ${body.template_id} not found)`);
  }
  if (!template.status) {
    throw new Refusal(CODES.templateNotEnabled, '模板未启用 (template is not enabled)');
  }
  const signature = signatureOf(state, body.sms_sign_id ?? template.sign_id);
  const names = placeholders(template.content);
  const messages = body.messages.map(({ phone_number, params = {}, phone_data }) => {
    const missing = names.filter((name) => params[name] === undefined);
    if (missing.length > 0) {
      throw new Refusal(
        CODES.missingParameter,
        `模板参数缺失 (template parameters missing: ${missing.join(', ')})`,
      );
    }
    return {
      phone_number,
      text: `【${signature.name}】${render(template.content, params)}`,
      phone_data: phone_data ?? body.phone_data,
    };
  });
  return accept(messages, body.user_data, context);
}

interface CustomSend {
  sms_sign_id?: number;
  phone_numbers: string[];
  content: string;
  phone_data?: string;
  user_data?: string;
}

function sendCustom(body: CustomSend, context: RouteContext) {
  const signature = signatureOf(context.state, body.sms_sign_id);
  if (body.content.trim() === '')
    throw new Refusal(CODES.emptyContent, '短信内容为空 (no content)');
  const text = `【${signature.name}】${body.content}`;
  const messages = body.phone_numbers.map((phone_number) => ({
    phone_number,
    text,
    phone_data: body.phone_data,
  }));
  return accept(messages, body.user_data, context);
}

function signatureOf(state: SandboxState, id: number | undefined): Signature {
  if (id === undefined) throw new Refusal(CODES.missingSignature, '缺少签名 (no signature)');
  const signature = state.signatures.get(id);
  if (!signature) {
    throw new Refusal(CODES.unknownSignature, `签名不存在 (signature ${id} not found)`);
  }
  return signature;
}

function accept(
  messages: readonly OutgoingMessage[],
  userData: string | undefined,
  context: RouteContext,
) {
  if (messages.length === 0) throw new Refusal(CODES.noRecipients, '没有接收号码 (no recipients)');
  const bad = messages.find(({ phone_number }) => !/^1\d{10}$/.test(phone_number));
  if (bad) {
    throw new Refusal(
      CODES.badPhoneNumber,
      `手机号码格式错误 (not a phone number: ${bad.phone_number})`,
    );
  }
  return { code: 0, msg: 'success', ...context.accept(messages, userData) };
}

// --- Balance and pulls ---

function balance(_body: unknown, { state }: RouteContext) {
  return { code: 0, msg: 'success', balance: state.balance };
}

function pull(queueOf: (state: SandboxState) => Queue<unknown>) {
  return (body: { count: number }, { state, consume, maxCount }: RouteContext) => {
    state.deliverDue();
    const queue = queueOf(state);
    const count = Math.min(body.count, maxCount);
    return { code: 0, msg: 'success', data: consume ? queue.take(count) : queue.peek(count) };
  };
}

// --- Qualifications, signatures, templates and leads ---

function existing<T>(records: Map<number, T>, id: number): T {
  const record = records.get(id);
  if (record === undefined) {
    throw new Refusal(CODES.unknownRecord, `记录不存在 (record ${id} not found)`);
  }
  return record;
}

function remove(kind: ManagedList) {
  return ({ id }: Id, { state }: RouteContext) => {
    existing<unknown>(state[kind], id);
    state[kind].delete(id);
    return {};
  };
}

function contains(value: string, part: string | undefined): boolean {
  return part === undefined || value.includes(part);
}

function queryQualifications(
  body: PageRequest & Partial<Pick<Qualification, 'id' | 'name' | 'company_name'>>,
  { state, maxPageSize }: RouteContext,
): Paged {
  const found = [...state.qualifications.values()].filter(
    (record) =>
      (body.id === undefined || record.id === body.id) &&
      contains(record.name, body.name) &&
      contains(record.company_name, body.company_name),
  );
  return pageOf(found, body, maxPageSize);
}

function queryByName(kind: 'signatures' | 'templates') {
  return (
    body: PageRequest & { id?: number; name?: string },
    { state, maxPageSize }: RouteContext,
  ): Paged => {
    const records: { id: number; name: string }[] = [...state[kind].values()];
    const found = records.filter(
      (record) =>
        (body.id === undefined || record.id === body.id) && contains(record.name, body.name),
    );
    return pageOf(found, body, maxPageSize);
  };
}

interface LeadQuery extends PageRequest {
  lead_id?: number;
  query_phone1?: string;
  query_phone2?: string;
  query_url?: string;
  sign_id?: number;
}

function queryLeads(body: LeadQuery, { state, maxPageSize }: RouteContext): Paged {
  const found = [...state.leads.values()].filter(
    (lead) =>
      (body.lead_id === undefined || lead.id === body.lead_id) &&
      (body.sign_id === undefined || lead.sign_id === body.sign_id) &&
      contains(lead.phone_1, body.query_phone1) &&
      contains(lead.phone_2, body.query_phone2) &&
      contains(lead.url, body.query_url),
  );
  return pageOf(found, body, maxPageSize);
}

function createQualification(
  body: Partial<Qualification> & Pick<Qualification, 'name' | 'company_name'>,
  { state }: RouteContext,
): Qualification {
  const created = seed.qualification(state.nextId('qualifications'), {
    ...body,
    created_at: new Date().toISOString().slice(0, 19).replace('T', ' '),
  });
  state.qualifications.set(created.id, created);
  return created;
}

function updateQualification(body: Partial<Qualification> & Id, { state }: RouteContext) {
  return Object.assign(existing(state.qualifications, body.id), body);
}

function createSignature(
  body: Partial<Signature> & { name: string; signature_id?: number },
  { state }: RouteContext,
) {
  if (body.certification_id !== undefined) existing(state.qualifications, body.certification_id);
  const created = seed.signature(state.nextId('signatures'), { certification_id: 0, ...body });
  // A signature in a list has no `signature_id`. Its purpose in Create signature is not specified.
  delete (created as { signature_id?: number }).signature_id;
  state.signatures.set(created.id, created);
  return asCreated(created);
}

function updateSignature(body: Partial<Signature> & Id, { state }: RouteContext) {
  return asCreated(Object.assign(existing(state.signatures, body.id), body));
}

function asCreated({ certification_id, id, name }: Signature) {
  return { certification_id, id, name };
}

function createTemplate(
  body: Partial<Template> & Pick<Template, 'name' | 'content'>,
  { state }: RouteContext,
): Template {
  const created = seed.template(state.nextId('templates'), body);
  state.templates.set(created.id, created);
  return created;
}

function updateTemplate(body: Partial<Template> & Id, { state }: RouteContext): Template {
  const template = Object.assign(existing(state.templates, body.id), body);
  template.param_count = placeholders(template.content).length;
  return template;
}

function createLead(body: Partial<Lead> & { sign_id: number }, { state }: RouteContext): Lead {
  const created = seed.lead(state.nextId('leads'), {
    ...body,
    sign_name: signatureOf(state, body.sign_id).name,
  });
  state.leads.set(created.id, created);
  return created;
}

function updateLead(body: Partial<Lead> & Id, { state, maxPageSize }: RouteContext): Paged {
  const lead = existing(state.leads, body.id);
  if (Object.values(lead.report_info).includes(true)) {
    throw new Refusal(CODES.leadAlreadyReported, '已报备,不可修改 (lead has been reported)');
  }
  return pageOf([Object.assign(lead, body)], {}, maxPageSize);
}

const ROUTES: readonly Route[] = [
  { path: '/sendsms/template/send', answer: sendTemplate },
  { path: '/sendsms/send', answer: sendCustom },
  { path: '/sendsms/balance', answer: balance },
  { path: '/sendsms/report/pull', answer: pull((state) => state.reports) },
  { path: '/sendsms/mo/pull', answer: pull((state) => state.replies) },
  { path: '/openapi/cert/info', shape: 'envelope', page: queryQualifications },
  { path: '/openapi/cert/create', answer: createQualification },
  { path: '/openapi/cert/update', answer: updateQualification },
  { path: '/openapi/cert/delete', answer: remove('qualifications') },
  { path: '/openapi/sign/info', shape: 'nested', page: queryByName('signatures') },
  { path: '/openapi/sign/create', answer: createSignature },
  { path: '/openapi/sign/update', answer: updateSignature },
  { path: '/openapi/sign/delete', answer: remove('signatures') },
  { path: '/openapi/template/info', shape: 'nested', page: queryByName('templates') },
  { path: '/openapi/template/create', answer: createTemplate },
  { path: '/openapi/template/update', answer: updateTemplate },
  { path: '/openapi/template/delete', answer: remove('templates') },
  { path: '/openapi/lead/info', shape: 'nested', page: queryLeads },
  { path: '/openapi/lead/create', answer: createLead },
  { path: '/openapi/lead/update', answer: updateLead },
  { path: '/openapi/lead/delete', answer: remove('leads') },
];

/** Path → route. */
export const routes: ReadonlyMap<string, Route> = new Map(
  ROUTES.map((route) => [route.path, route]),
);
