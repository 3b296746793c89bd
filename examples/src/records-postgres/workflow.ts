import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from '@n8n/workflow-sdk';

import { base, everyMinute, lane, OR_CALLED, whenCalled, workflow } from '../parts';
import type { Node } from '../parts';

const VIEWS = readFileSync(path.join(__dirname, '../../records-postgres/views.sql'), 'utf8');

/** What is there stays as it is. Of executions that make it at the same moment, all but one wait. */
const MAKE = `do $make$
begin
if to_regclass('sms_failure_rate') is null then
perform pg_advisory_xact_lock(hashtext('sms_records'));
${VIEWS}end if;
end
$make$;`;

/** How a time begins that PostgreSQL can read. */
const TIME =
  '^20\\d\\d-(0[1-9]|1[0-2])-([0-2]\\d|3[01])T([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d{1,9})?';

const INSERT_RECORDS = `with given as (
  select item from jsonb_array_elements($1::jsonb) as item where item ? 'event'
), added as (
  insert into sms_records (record, time)
  select item, case when item->>'time_iso' ~ '${TIME}Z$'
    then (item->>'time_iso')::timestamptz end
  from given
  on conflict do nothing
  returning 1
)
select (select count(*)::int from given) as records, (select count(*)::int from added) as added;`;

const INSERT_SENDS = `with given as (
  select distinct on (batch_id) batch_id #>> '{}' as batch_id, item
  from jsonb_array_elements($1::jsonb) as item,
    jsonb_path_query(item, '$.**.batch_id ? (@.type() == "number" || @.type() == "string" && @ != "")') as batch_id
  where not item ? 'event'
), added as (
  insert into sms_sends (batch_id, template, sent_at)
  select batch_id, item->>'template', case when item->>'sent_at' ~ '${TIME}(Z|[+-]\\d\\d:?\\d\\d)$'
    then (item->>'sent_at')::timestamptz else now() end
  from given
  on conflict do nothing
  returning 1
)
select (select count(*)::int from given) as batches, (select count(*)::int from added) as added;`;

// One statement for all items. PostgreSQL stores no zero byte and no half of a character, in names neither: a
// record with one would fail each time, and be given up.
const ITEMS = String.raw`={{ [ JSON.stringify($input.all().map(({ json }) => json)).replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)/g, '$1') ] }}`;

const statement = (name: string, query: string, options: IDataObject = {}): Node =>
  base(
    'postgres',
    name,
    { operation: 'executeQuery', query, options },
    { needs: 'postgres', once: true, tries: 5, pause: 2 },
  );

export default workflow(
  {
    name: 'Reports and replies → PostgreSQL',
    about: `## Reports and replies → PostgreSQL
Each delivery report and reply becomes a row of \`sms_records\`, once. Views count them by hour, template, status and batch, with delivery time and failure rate. Tables and views are made at the first record. While PostgreSQL is down, records wait.

每条状态报告和上行存成 \`sms_records\` 的一行，不重复。视图按小时、模板、状态和批次统计，还有送达时间和失败率。表和视图在第一条记录到来时建。PostgreSQL 停了，记录不会丢，恢复后再来。`,
    setUp: `### Set up here · 设置
- *Reports and replies*: your credential. An account has one trigger for each. 凭据；一个账号的状态报告和上行各只用一个触发器。
- *Tables and views*, *Insert the records*, *Insert the sends*: a Postgres credential. Postgres 凭据。`,
    tryIt: `### Try it · 试一下
**Execute workflow** inserts sample records, which the views leave out. Publish to get real ones, every minute.
**Execute workflow** 存入样例，视图不统计它们。发布后每分钟拉取真实的记录。`,
    more: [
      `### Template and delivery time · 模板和送达时间
A report says neither. Call this workflow with the items of a send node, and add two fields before: \`template\`, any name, and \`sent_at\`, \`{{ $now.toISO() }}\`.
状态报告里没有。把发送节点的 item 加上 \`template\`（任意名称）和 \`sent_at\`（\`{{ $now.toISO() }}\`），再调用这个工作流。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      // What comes again does no harm here, so nothing is lost while PostgreSQL is down.
      everyMinute('Reports and replies', ['deliveryReport', 'reply'], { repeatFailed: true }),
      statement('Tables and views', MAKE),
    ],
    [
      'Reports and replies',
      statement('Insert the records', INSERT_RECORDS, { queryReplacement: ITEMS }),
    ],
    [
      'Reports and replies',
      statement('Insert the sends', INSERT_SENDS, { queryReplacement: ITEMS }),
    ],
    [whenCalled(), 'Tables and views'],
    ['From another workflow', 'Insert the records'],
    ['From another workflow', 'Insert the sends'],
  ),
);
