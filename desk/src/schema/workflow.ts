import { SCHEMA } from '../declare';
import { lane, published, runs, workflow } from '../parts';

export default workflow(
  {
    name: 'Schema',
    about: `## SMS · Schema · 表结构
Makes the tables of the desk in your PostgreSQL, in the schema *sms*, when it is published and when n8n starts. What is there stays; a newer version changes it step by step, all or nothing. \`npm run desk\` publishes this first, and the rest only if it has succeeded.
发布时和 n8n 启动时，在 PostgreSQL 的 *sms* 里建表。已有的保留；新版本按步骤升级，要么全成，要么不变。\`npm run desk\` 先发布它，成功了才发布其余的。`,
    setUp: `## Set up here · 设置
Select the credential of the desk's database in *Make the schema*. Its user must be allowed to create a schema there. Or run \`desk/schema.sql\` with psql yourself, and leave this unpublished.
在 *Make the schema* 里选数据库凭据，其用户要能建 schema。也可以自己用 psql 运行 \`desk/schema.sql\`，不发布它。`,
    settings: { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' },
  },
  lane(
    [],
    [published('When published'), runs('Make the schema', { query: SCHEMA }, { once: true })],
  ),
);
