import { randomUUID } from 'node:crypto';
import { CODES, Refusal } from './codes';
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
  /** Accepts the messages of a send, or those that a fault leaves. */
  accept: SandboxState['send'];
}

/** What one operation does. Its request is signed, and the body matches the contract. */
export interface Route {
  path: string;
  /** @throws Refusal to refuse the request with a business code */
  answer: (body: never, context: RouteContext) => unknown;
}

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

const MAX_COUNT = 1000;

function balance(_body: unknown, { state }: RouteContext) {
  return { code: 0, msg: 'success', balance: state.balance };
}

function pull(kind: 'reports' | 'replies') {
  return (body: { count: number }, { state, consume }: RouteContext) => {
    state.deliverDue();
    const count = Math.min(body.count, MAX_COUNT);
    const data = consume ? state[kind].splice(0, count) : state[kind].slice(0, count);
    return { code: 0, msg: 'success', data };
  };
}

// --- Lists ---

const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 100;

/** Returns one page of the records, as the fields of the request select it. Pages count from 1. */
function pageOf(
  records: readonly unknown[],
  { page = 1, page_size = DEFAULT_PAGE_SIZE }: { page?: number; page_size?: number },
): Paged {
  const size = Math.min(page_size, MAX_PAGE_SIZE);
  const list = records.slice((page - 1) * size, page * size);
  return { list, page, page_size: size, total: records.length };
}

/** The specification shows a page inside two lists, inside an envelope, and as it is (in Edit lead). */
const nested = (page: Paged) => [[page]];

const inEnvelope = (data: Paged) => ({
  code: 0,
  msg: 'success',
  data,
  tp: Math.floor(Date.now() / 1000),
  request_id: randomUUID(),
});

/**
 * A list of records. A filter of a text wants it to contain a text, and others want the same value.
 *
 * @param filters field of the request → field of the record
 */
function list(
  kind: ManagedList,
  shape: (page: Paged) => unknown,
  filters: Record<string, string> = { id: 'id', name: 'name' },
) {
  return (body: Record<string, unknown>, { state }: RouteContext) => {
    const records = [...state[kind].values()] as unknown as Record<string, unknown>[];
    const found = records.filter((record) =>
      Object.entries(filters).every(([filter, field]) => {
        const [value, wanted] = [record[field], body[filter]];
        if (wanted === undefined) return true;
        return typeof value === 'string' ? value.includes(String(wanted)) : value === wanted;
      }),
    );
    return shape(pageOf(found, body));
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

/** @param shape what the answer has of the record */
function update<T>(kind: ManagedList, shape = (record: T): unknown => record) {
  return (body: Id, { state }: RouteContext) =>
    shape(Object.assign(existing<object>(state[kind], body.id), body) as T);
}

function remove(kind: ManagedList) {
  return ({ id }: Id, { state }: RouteContext) => {
    existing<unknown>(state[kind], id);
    state[kind].delete(id);
    return {};
  };
}

function createQualification(body: Partial<Qualification>, { state }: RouteContext) {
  const created_at = new Date().toISOString().slice(0, 19).replace('T', ' ');
  return state.add('qualifications', (id) => seed.qualification(id, { ...body, created_at }));
}

function createSignature(
  body: Partial<Signature> & { signature_id?: number },
  { state }: RouteContext,
) {
  if (body.certification_id !== undefined) existing(state.qualifications, body.certification_id);
  // A signature in a list has no `signature_id`. Its purpose in Create signature is not specified.
  const fields = { ...body };
  delete fields.signature_id;
  return asCreated(state.add('signatures', (id) => seed.signature(id, fields)));
}

function asCreated({ certification_id, id, name }: Signature) {
  return { certification_id, id, name };
}

function createTemplate(
  body: Partial<Template> & Pick<Template, 'name' | 'content'>,
  { state }: RouteContext,
) {
  return state.add('templates', (id) => seed.template(id, body));
}

const withCount = (template: Template) =>
  Object.assign(template, { param_count: placeholders(template.content).length });

function createLead(body: Partial<Lead> & { sign_id: number }, { state }: RouteContext) {
  const sign_name = signatureOf(state, body.sign_id).name;
  return state.add('leads', (id) => seed.lead(id, { ...body, sign_name }));
}

function updateLead(body: Partial<Lead> & Id, { state }: RouteContext): Paged {
  const lead = existing(state.leads, body.id);
  if (Object.values(lead.report_info).includes(true)) {
    throw new Refusal(CODES.leadAlreadyReported, '已报备,不可修改 (lead has been reported)');
  }
  return pageOf([Object.assign(lead, body)], {});
}

const ANSWERS: Record<string, Route['answer']> = {
  '/sendsms/template/send': sendTemplate,
  '/sendsms/send': sendCustom,
  '/sendsms/balance': balance,
  '/sendsms/report/pull': pull('reports'),
  '/sendsms/mo/pull': pull('replies'),
  '/openapi/cert/info': list('qualifications', inEnvelope, {
    id: 'id',
    name: 'name',
    company_name: 'company_name',
  }),
  '/openapi/cert/create': createQualification,
  '/openapi/cert/update': update('qualifications'),
  '/openapi/cert/delete': remove('qualifications'),
  '/openapi/sign/info': list('signatures', nested),
  '/openapi/sign/create': createSignature,
  '/openapi/sign/update': update('signatures', asCreated),
  '/openapi/sign/delete': remove('signatures'),
  '/openapi/template/info': list('templates', nested),
  '/openapi/template/create': createTemplate,
  '/openapi/template/update': update('templates', withCount),
  '/openapi/template/delete': remove('templates'),
  '/openapi/lead/info': list('leads', nested, {
    lead_id: 'id',
    sign_id: 'sign_id',
    query_phone1: 'phone_1',
    query_phone2: 'phone_2',
    query_url: 'url',
  }),
  '/openapi/lead/create': createLead,
  '/openapi/lead/update': updateLead,
  '/openapi/lead/delete': remove('leads'),
};

/** Path → route. */
export const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries(ANSWERS).map(([path, answer]) => [path, { path, answer }]),
);
