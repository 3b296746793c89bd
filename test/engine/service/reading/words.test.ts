import { readAnswer } from '../../../../nodes/SmsMessagingService/service/reading/answer';
import { SecretMask } from '../../../../nodes/SmsMessagingService/service/secrets';

/** What the words of an answer say of it, where the credential says nothing of its code. */

const read = (body: unknown, statusCode = 200, headers = {}) =>
  readAnswer(
    { statusCode, headers, body: JSON.stringify(body) },
    '/sendsms/send',
    new SecretMask([]),
  ) as { kind: string; isEmpty?: boolean; retryAfterMs?: number; reason: string };

const meaningOf = (msg: string) => {
  const { kind, isEmpty } = read({ code: 99, msg });
  return isEmpty ? 'empty' : kind;
};

const WORDS: Record<string, string[]> = {
  unclear: [
    '内部错误',
    '系统内部错误，请联系管理员',
    '系统繁忙',
    '系统繁忙，请稍后再试',
    '服务器繁忙，请稍候重试',
    '系统异常',
    '系统错误',
    '服务异常',
    '服务器出错',
    '未知错误',
    '其他错误',
    '数据库异常',
    '请求超时',
    '网关超时，请稍后查询结果',
    '查询模板超时',
    '系统维护中',
    '请稍后重试',
    'internal error',
    'Internal Server Error',
    'INTERNAL_ERROR',
    'SystemError',
    'server error, request id 8f3a',
    'system busy',
    'The system is busy. Please try again later.',
    'System exception: java.lang.NullPointerException',
    'request timeout',
    'timed out waiting for the carrier',
    'Time-out',
    'unknown error',
    'Unknown exception (E99)',
    'Service unavailable',
    'please try again later',
    '提交成功',
    '短信发送成功',
    '请求已受理',
    '部分成功',
    '部分号码发送失败',
    '发送成功99条，失败1条',
    '提交成功，但系统异常',
    'send success',
    'Request accepted',
    'Message queued for delivery',
    'partially accepted',
    'PARTIAL_SUCCESS',
    '99 of 100 messages accepted',
    'success: 99, fail: 1',
    'rate limit exceeded after 50 messages were accepted',
    '已发送50条，超过频率限制',
    'quota exceeded: 50 of 100 messages sent',
    '1个号码错误，其余已发送',
    '其他号码已正常下发',
    '提交99条，失败1条',
    '发送99条，拦截1条',
    'Accepted 99 of 100',
    'Sent 99, failed 1',
    '99 delivered, 1 failed',
    '1 number is invalid, the rest were sent',
    'completed with errors',
    '部分号码错误',
    '部分号码无效，已跳过',
    '包含黑名单号码，已自动过滤',
    '发送完成',
    '提交完成',
    '已发送',
    '短信已发出',
    'done',
    'completed',
    'no error',
    '正常',
    'succ',
    '已进入发送队列',
    '等待发送',
    '数据库连接失败',
    'Redis连接异常',
    '提交异常',
    '系统级异常',
    '扣费异常',
    '消息队列异常',
    '上游返回异常',
    '服务器开小差',
    'something went wrong',
    'RPC failed',
    'database connection failed',
    'Exception',
    'unknown',
    '请勿重复提交',
    '重复提交',
    'nonce重复',
    'nonce already used',
    'Request already processed',
    'Duplicate request',
    '该请求已处理',
    'replay attack',
  ],
  throttled: [
    '提交过快',
    '请求过快，请稍后再试',
    '超过流速限制',
    '触发流控',
    '接口调用频率超限',
    '请求过于频繁',
    '系统限流，请稍后重试',
    '访问频率过高,系统繁忙',
    '并发数超过限制',
    '每分钟最多200次请求',
    'rate limit exceeded',
    'RATE_LIMIT',
    'Too many requests',
    'too many requests, try again later',
    'submitted too fast',
    'request too frequent',
    'Throttled by policy',
    'The number of requests exceeds the rate limit',
    'exceeded 200 requests per minute',
    '每分钟最多发送200条',
    '流速超过每秒100个号码的限制',
    '超过每秒手机号数限制',
    '提交过快，每秒最多提交200个手机号',
    'too fast: max 50 phones/s',
  ],
  empty: [
    '暂无数据',
    '暂无数据，请稍后再试',
    '没有数据',
    '无数据',
    '队列为空',
    '暂无状态报告',
    '暂无新的状态报告',
    '无上行',
    '没有可拉取的上行记录',
    '查询成功，暂无数据',
    'no data',
    'No records',
    'no more data',
    'there are no new reports',
    'nothing to pull',
    'queue is empty',
    'empty',
  ],
  refused: [
    '余额不足',
    '余额不足，请充值后再试',
    '模板不存在',
    '模板“超时提醒”不存在',
    '模板【系统异常通知】未通过审核',
    '超时提醒模板不存在',
    '模板审核中，请稍后再试',
    '时间戳超时',
    '签名错误',
    '参数错误',
    '未成功',
    '提交不成功',
    '发送失败',
    '签名审核成功后才能发送',
    '成功率过低，账号已停用',
    '号码发送频率超限',
    '该手机号码接收过于频繁',
    '同一号码1分钟内只能发送1条，提交过快',
    '13800138000 发送过于频繁',
    '138****8000请求过于频繁',
    '一次提交的号码过多',
    '无数据权限',
    '没有权限查询状态报告，无数据',
    '请求数据为空',
    '号码不能为空',
    '黑名单',
    'template does not exist',
    'Template "internal error notice" does not exist',
    'insufficient balance',
    'frequency limit exceeded for number 13800138000',
    'too many messages to this number, rate limit',
    'sent too frequently to the same phone number',
    'mobile number requested too often',
    'too many phone numbers in one request',
    'phone_numbers must not be empty',
    'timestamp timed out',
    'timeout parameter is invalid',
    'no permission to read data',
    'no more than 100 numbers are allowed',
    'The message was not sent successfully',
    'unsuccessful',
    'request not accepted',
    'signature is not approved, please try again later',
    'daily quota exceeded: 1000 messages sent today',
    'only 5 messages are accepted per day',
    'unknown template',
    'no such signature',
    '该用户接收短信过于频繁',
    '同一收件人发送过于频繁',
    '单个用户每分钟最多1条',
    '1个号码每分钟最多5条',
    'subscriber rate limit',
    'destination exceeded per minute limit',
    '认证成功方可发送',
    '短信内容含敏感词：成功',
    '模板1个变量未成功匹配',
    '1 submitted phone number is invalid',
    '提交2条，失败2条',
    '状态不正常',
    '请求已过期',
    'request already expired',
    'request contains duplicate phone numbers',
    'nonce is required',
    '账户连接数超过限制',
    '部分参数错误',
    '短信内容与已报备模板不匹配',
    'invalid status: completed',
    '号码重复',
    '签名名称重复',
    '同一号码重复提交',
    '请求参数异常',
    '账号异常',
    '已发送条数超过每日限额',
    '参数不完整',
    '',
  ],
};

const TABLE = Object.entries(WORDS).flatMap(([kind, texts]) => texts.map((text) => [text, kind]));

test('the table is long enough to say something', () => {
  expect(TABLE.length).toBeGreaterThan(120);
});

// Guess: words
test.each(TABLE)('“%s” beside an unknown code is %s', (text, kind) => {
  expect(meaningOf(text)).toBe(kind);
});

test.each([
  { code: 100, message: '系统异常' },
  { code: 100, error: 'internal error' },
  { code: 100, error: { message: 'timeout' } },
  { code: 100, errors: [{ detail: 'unknown error' }] },
  { code: 100, msg: 'failed', data: '系统繁忙' },
  { code: 'SYSTEM_ERROR', msg: '' },
  { success: false, message: '系统异常' },
  { errcode: 98, errmsg: 'system busy' },
  [[{ code: 100, msg: '内部错误' }]],
  { code: 200, desc: '提交成功' },
  ...['respMsg', 'rspdesc', 'desc', 'description', 'message_cn', 'tips', 'error', 'reason'].map(
    (name) => ({ code: 100, [name]: '系统内部错误' }),
  ),
  { code: 100, msg: 'failed', exception: 'connection failed' },
  { code: 100, cause: '系统内部错误' },
])('the words may stand in other fields: %j', (body) => {
  expect(read(body).kind).toBe('unclear');
});

test('an “ok” beside the code of a refusal is a habit', () => {
  expect(read({ code: 2002, status: 'ok', msg: '模板不存在' }).kind).toBe('refused');
});

test('a code that is too fast brings its Retry-After', () => {
  const throttled = read({ code: 10007, msg: '提交过快' }, 200, { 'retry-after': '3' });
  expect(throttled).toMatchObject({ kind: 'throttled', retryAfterMs: 3000 });
});

test.each([
  [400, '系统繁忙', 'unclear'],
  [400, '提交过快', 'throttled'],
  [401, '请求超时', 'refused'],
  [403, '系统繁忙', 'refused'],
  [404, '提交过快', 'refused'],
  [408, '提交过快', 'unclear'],
  [429, '系统繁忙', 'throttled'],
  [429, '该号码发送过于频繁', 'refused'],
  [401, '部分成功，成功1条', 'unclear'],
  [403, '提交成功', 'unclear'],
  [404, '部分成功，成功1条', 'unclear'],
  [403, 'nonce重复', 'unclear'],
  [500, '提交过快', 'unclear'],
  [503, '余额不足', 'unclear'],
])('HTTP %d with the words “%s” is %s', (status, msg, kind) => {
  expect(read({ code: 99, msg }, status).kind).toBe(kind);
});

test.each([401, 403, 404, 422])(
  'words of a part count without a code too, with HTTP %d',
  (status) => {
    expect(read({ message: '部分成功' }, status).kind).toBe('unclear');
    expect(read({ message: '签名错误' }, status).kind).toBe('refused');
  },
);

// Guess: http-status
test.each([409, 499])('HTTP %d proves nothing, unless a code refuses', (status) => {
  expect(read({ message: 'Conflict' }, status).kind).toBe('unclear');
  expect(read({ code: 2010, msg: '模板不存在' }, status).kind).toBe('refused');
  expect(read({ code: 100, msg: '内部错误' }, status).kind).toBe('unclear');
});

test('words without end take no time', () => {
  const before = performance.now();
  for (const word of [
    '部分',
    'sent ',
    '1 of ',
    'no more ',
    '没有',
    '"',
    'exceed ',
    'some a ',
    '提交1',
  ])
    meaningOf(word.repeat(50_000));
  expect(performance.now() - before).toBeLessThan(2_000);
});
