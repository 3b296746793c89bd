import { contractSchemas } from './contract';
import { placeholders } from './text';

/** The records of a new sandbox. All companies, people, numbers and links are made up. */

const FILES = 'https://files.sandbox.example';

/** Values of `audit_status` in the sandbox. The specification does not show their meaning. */
const AUDIT = { pending: 1, approved: 2 } as const;

/**
 * Returns a function that makes a record, with made-up values for the fields that are not given. Of other texts
 * that its schema in the contract has, each is empty.
 */
function maker<Fields>(schema: string, made: (id: number) => Fields) {
  const { properties = {} } = contractSchemas()[schema] ?? {};
  const texts = Object.keys(properties).filter((name) => properties[name]?.type === 'string');
  const empty = Object.fromEntries(texts.map((name) => [name, '']));
  return (id: number, fields: Partial<Fields>): Fields => ({ ...empty, ...made(id), ...fields });
}

export type Qualification = ReturnType<typeof qualification>;

export const qualification = maker('Qualification', (id) => ({
  id,
  name: '',
  company_name: '',
  unified_social_credit_code: `91310000MA1SAND${String(id).padStart(3, '0')}`,
  certificate_type: 1,
  certificate_file: `${FILES}/cert/${id}.jpg?expires=1767225600&sign=sandbox`,
  legal_person: '李示例',
  legal_person_certificate: '310000190001010000',
  legal_person_identity_card_front: `${FILES}/idcard/${id}-front.jpg?expires=1767225600&sign=sandbox`,
  legal_mobile: '13800138000',
  operator: '王样本',
  operator_certificate: '310000190001010001',
  operator_identity_card_front: `${FILES}/idcard/${id}-operator.jpg?expires=1767225600&sign=sandbox`,
  authorization_file: [`${FILES}/authorization/${id}.pdf?expires=1767225600&sign=sandbox`],
  company_authorization_file: [] as string[],
  operator_mobile: '13800138001',
  more_data: [] as string[],
  use: 1,
  created_at: '2025-03-18 09:30:00',
}));

export type Signature = ReturnType<typeof signature>;

export const signature = maker('Signature', (id) => ({
  id,
  name: '',
  certification_id: 0,
  apply_comment: '用于通知短信',
  more_data: [] as string[],
  type: 1,
  use: 1,
}));

const templateWith = maker('Template', (id) => ({
  id,
  name: '',
  content: '',
  param_count: 0,
  audit_status: AUDIT.approved as number,
  status: true,
  type: 1,
  sign_id: 201,
  lead_id: 0,
  remark: '',
}));

export type Template = ReturnType<typeof templateWith>;

/** Returns an approved and enabled template, with made-up values for the fields that are not given. */
export function template(
  id: number,
  fields: Partial<Template> & { name: string; content: string },
): Template {
  return templateWith(id, { param_count: placeholders(fields.content).length, ...fields });
}

export type Lead = ReturnType<typeof lead>;

/** Makes a lead that is not reported. */
export const lead = maker('Lead', (id) => ({
  id,
  domain: '',
  is_financial_lending: 0,
  phone_1: '',
  phone_2: '',
  report_type: 1,
  report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
  sign_id: 0,
  sign_name: '',
  template: '',
  url: '',
  url_ext: '',
}));

/** Returns new copies of the seed records. */
export function seeds() {
  return {
    qualifications: [
      qualification(101, { name: '青禾主体资质', company_name: '上海青禾网络科技有限公司' }),
      qualification(102, {
        name: '云岭商城资质',
        company_name: '昆明云岭电子商务有限公司',
        created_at: '2025-05-06 14:05:21',
        more_data: [`${FILES}/more/102-1.pdf?expires=1767225600&sign=sandbox`],
      }),
    ],
    signatures: [
      signature(201, { name: '青禾科技', certification_id: 101 }),
      signature(202, { name: '云岭商城', certification_id: 102, apply_comment: '用于订单通知' }),
    ],
    templates: [
      template(301, {
        name: '登录验证码',
        content: '您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。',
        remark: '登录与注册',
      }),
      template(302, {
        name: '发货通知',
        content: '尊敬的${name},您的订单${order}已发货,预计${date}送达。回复TD退订',
        sign_id: 202,
        type: 2,
      }),
      template(303, {
        name: '系统维护通知',
        content: '系统将于今晚22:00至24:00维护,期间服务可能中断,敬请谅解。',
        type: 2,
      }),
      template(304, {
        name: '会员活动(审核中)',
        content: '${name}您好,会员日全场八折,详情见 ${link}',
        type: 3,
        lead_id: 402,
        audit_status: AUDIT.pending,
        status: false,
      }),
    ],
    leads: [
      lead(401, {
        sign_id: 201,
        sign_name: '青禾科技',
        domain: 'qinghe.example',
        url: 'https://qinghe.example/help',
        phone_1: '4008000001',
        report_info: { mobile_report: true, telecom_report: true, unicom_report: false },
        template: '点击 https://qinghe.example/help 查看帮助',
      }),
      lead(402, {
        sign_id: 202,
        sign_name: '云岭商城',
        domain: 'yunling.example',
        url: 'https://yunling.example/sale',
        url_ext: '?from=sms',
        phone_1: '4008000002',
        phone_2: '087160000002',
        template: '会员日详情见 https://yunling.example/sale',
      }),
    ],
  };
}
