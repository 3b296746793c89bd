import { picked } from '../e2e/lib/workflowFiles';
import { PHONE, reply, report, useTemplate } from './run';

const template = useTemplate('one-trigger', {
  'Workflow for reports': { workflowId: picked('reports') },
  'Workflow for 1 and 2': { workflowId: picked('keywords') },
  'Workflow for other replies': { workflowId: picked('others') },
});

const { n8n } = template;

const called = () => n8n.calls.map(({ workflow, items }) => [workflow, items.length]);

const queue = () => {
  template.gateway.queueReports([report(PHONE), report(PHONE, 'UNDELIV')]);
  template.gateway.queueReplies([reply(PHONE, '1'), reply(PHONE, 'Hello'), reply(PHONE, '２')]);
};

test('each record goes to the workflow that wants it', async () => {
  queue();
  const ran = await template.poll('Reports and replies');
  expect(called().sort()).toEqual([
    ['keywords', 2],
    ['others', 1],
    ['reports', 2],
  ]);
  expect(ran.map(({ error }) => error)).toEqual(ran.map(() => undefined));
});

test.each([
  ['reports', ['keywords', 'others']],
  ['keywords', ['reports', 'others']],
  ['others', ['reports', 'keywords']],
])('if %s fails, the others get theirs, and then this one fails', async (failing, others) => {
  n8n.failing.add(failing);
  const records = [
    { event: 'deliveryReport', ...report(PHONE) },
    { event: 'reply', ...reply(PHONE, '1') },
    { event: 'reply', ...reply(PHONE, 'Hello') },
  ];
  const { error } = await template.run('Reports and replies', ...records);
  expect(called()).toEqual(others.map((workflow) => [workflow, 1]));
  expect(error).toMatch(/workflow that this one calls has failed/);
});

test('an answer that nobody can read is no silence', async () => {
  const { error } = await template.run('Reports and replies', { event: 'unreadable', answer: '{' });
  expect(error).toMatch(/nobody can read/);
  expect(called()).toEqual([]);
});
