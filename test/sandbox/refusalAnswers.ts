import type { Answer } from './http';

/**
 * Answers of SMS providers to a send that is not plainly accepted, from manuals and public clients of this
 * family of interfaces. The sandbox gives them, and tests share the lists.
 */

/** The outcome of a request's messages, for an answer that states it in its own way. */
export interface PartFacts {
  /** Phone numbers of the accepted messages. */
  accepted: string[];
  /** Phone numbers of the others. */
  refused: string[];
  batchId: string;
}

/** An answer that looks like a refusal, though a part of the request was accepted. */
export interface PartialAnswer {
  name: string;
  /** Whether nothing in the answer shows that a part was accepted. */
  silent: boolean;
  answer: (facts: PartFacts) => Answer;
}

/** Made up, like all codes of the sandbox. */
const CODE = 4001;

/** An answer with HTTP 200 that shows the accepted part. */
function telling(name: string, body: (facts: PartFacts) => unknown): PartialAnswer {
  return { name, silent: false, answer: (facts) => ({ status: 200, body: body(facts) }) };
}

/** An answer that looks like any other refusal. */
function silent(name: string, answer: Answer): PartialAnswer {
  return { name, silent: true, answer: () => answer };
}

/** A code and words about a number. */
export const PLAIN_CODE: PartialAnswer = silent('a plain code', {
  status: 200,
  body: { code: CODE, msg: '号码错误' },
});

/** The shapes of an answer with a code of refusal that accepts a part of the messages. */
export const PARTIAL_ANSWERS: readonly PartialAnswer[] = [
  telling('words: 部分成功', () => ({ code: CODE, msg: '部分成功' })),
  telling('words: 部分号码提交失败', () => ({ code: CODE, msg: '部分号码提交失败' })),
  telling('words: partially accepted', () => ({ code: CODE, msg: 'Request partially accepted' })),
  telling('succ_count and fail_count', ({ accepted, refused }) => ({
    code: CODE,
    msg: '提交失败',
    succ_count: accepted.length,
    fail_count: refused.length,
  })),
  telling('successCount as text', ({ accepted, refused }) => ({
    code: String(CODE),
    msg: '提交失败',
    data: { successCount: String(accepted.length), failCount: String(refused.length) },
  })),
  telling('data.success as a list', ({ accepted, refused }) => ({
    code: CODE,
    msg: '号码错误',
    data: { success: accepted, fail: refused },
  })),
  telling('successList of objects', ({ accepted, refused }) => ({
    code: CODE,
    msg: '号码错误',
    successList: accepted.map((mobile) => ({ mobile })),
    failList: refused.map((mobile) => ({ mobile })),
  })),
  telling('message_ids', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    message_ids: accepted.map((_, index) => `${batchId}${index}`),
  })),
  telling('msgIds under data', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    data: { msgIds: accepted.map((_, index) => `${batchId}${index}`).join(',') },
  })),
  telling('batchNo', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    batchNo: accepted.length > 0 ? batchId : null,
  })),
  telling('batch_id with count', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    batch_id: accepted.length > 0 ? batchId : '',
    count: accepted.length,
  })),
  telling('batch_id under data', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    data: accepted.length > 0 ? { batch_id: batchId } : null,
  })),
  telling('taskId', ({ accepted, batchId }) => ({
    code: CODE,
    message: '号码错误',
    taskId: accepted.length > 0 ? batchId : '0',
  })),
  telling('a smaller count', ({ accepted }) => ({
    code: CODE,
    msg: '号码错误',
    count: accepted.length,
  })),
  telling('a list with a code per number', ({ accepted, refused }) => ({
    code: CODE,
    msg: '号码错误',
    data: [
      ...accepted.map((mobile) => ({ mobile, code: 0, msg: 'success' })),
      ...refused.map((mobile) => ({ mobile, code: CODE, msg: '号码错误' })),
    ],
  })),
  telling('a list with a status per number', ({ accepted, refused }) => ({
    code: CODE,
    msg: '号码错误',
    result: [
      ...accepted.map((phone_number) => ({ phone_number, status: 'SUCCESS' })),
      ...refused.map((phone_number) => ({ phone_number, status: 'FAIL' })),
    ],
  })),
  telling('an ID per number', ({ accepted, refused, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    list: [
      ...accepted.map((mobile, index) => ({ mobile, msgid: `${batchId}${index}` })),
      ...refused.map((mobile) => ({ mobile, msgid: '' })),
    ],
  })),
  telling('a refusal around an acceptance', ({ accepted, batchId }) => ({
    code: CODE,
    msg: '号码错误',
    data: accepted.length > 0 ? { code: 0, msg: 'success', batch_id: batchId } : {},
  })),
  telling('inside an array', ({ accepted, batchId }) => [
    [{ code: CODE, msg: '号码错误', batch_id: accepted.length > 0 ? batchId : '' }],
  ]),
  telling('code 200 with a word of success', () => ({ code: 200, msg: 'success' })),
  telling('code 1000 with words of success', () => ({ code: 1000, msg: '操作成功' })),
  telling('success: true beside a code', ({ accepted }) => ({
    code: CODE,
    msg: '号码错误',
    success: accepted.length > 0,
  })),
  PLAIN_CODE,
  silent('a plain code as text', { status: 200, body: { code: 'INVALID_MOBILE', msg: 'no' } }),
  silent('HTTP 400 with a code', { status: 400, body: { code: CODE, msg: '号码错误' } }),
  silent('HTTP 409', { status: 409, body: { code: 409, msg: 'conflict' } }),
  silent('HTTP 499', { status: 499, html: '' }),
  silent('HTTP 403 of a firewall', { status: 403, html: '<html><h1>Request blocked</h1></html>' }),
  {
    name: 'the refused numbers only',
    silent: true,
    answer: ({ refused }) => ({
      status: 200,
      body: { code: CODE, msg: '号码错误', invalid_phones: refused },
    }),
  },
];

/** A code and the words beside it, in HTTP 200. */
export interface Words {
  code: number;
  msg: string;
}

/** The service failed internally. The answer does not say whether it had accepted the messages before. */
export const INTERNAL_ERRORS: readonly Words[] = [
  { code: 100, msg: '内部错误' },
  { code: 98, msg: '系统繁忙' },
  { code: 1090, msg: '系统异常,请稍后再试' },
  { code: 9999, msg: '未知错误' },
  { code: 5004, msg: '处理超时' },
  { code: 500, msg: 'Internal server error' },
];

/** The service did nothing, because the requests came too fast. */
export const TOO_FAST: readonly Words[] = [
  { code: 10007, msg: '提交过快' },
  { code: 34, msg: '超出流速限制' },
  { code: 8, msg: '请求频率过高' },
  { code: 429, msg: 'Rate limit exceeded' },
];

/** Refusals of all messages of a request, which also mention something else. */
export const WORDY_REFUSALS: readonly Record<string, unknown>[] = [
  { code: CODE, msg: '号码错误', invalid_phones: ['13800000000'] },
  { code: CODE, msg: '余额不足', balance: 3, limit: 100 },
  { code: CODE, msg: '签名未报备', submit_time: '2026-01-01 00:00:00' },
  { code: CODE, msg: '号码错误', msg_id: 'InvalidPhoneNumber' },
  { code: CODE, msg: '参数错误', batch_id: 'N/A' },
  // A limit for one phone number: waiting does not help in this run.
  { code: 4002, msg: '同一号码发送频率过高' },
];
