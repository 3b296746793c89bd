import type { IDataObject } from 'n8n-workflow';

import { picked, readExample } from '../kit/workflows/workflowFiles';
import { PHONE, reply, report, useTemplate } from './run';

const REPLIES = {
  'Workflow for keywords': { workflowId: picked('keywords') },
  'Workflow for other replies': { workflowId: picked('others') },
};

const unreadable = { event: 'unreadable', answer: '{' };

describe('with reports and replies', () => {
  const template = useTemplate('one-trigger', {
    ...REPLIES,
    'Reports and replies': { events: ['deliveryReport', 'reply'] },
    'Workflow for reports': { workflowId: picked('reports') },
  });

  const { n8n } = template;

  const called = () => n8n.calls.map(({ workflow, items }) => [workflow, items.length]);

  test('each record goes to the workflow that wants it', async () => {
    template.gateway.queueReports([report(PHONE), report(PHONE, 'UNDELIV')]);
    template.gateway.queueReplies(['1', 'Hello', '２', 'TD退订'].map((text) => reply(PHONE, text)));
    const ran = await template.poll('Reports and replies');
    expect(called().sort()).toEqual([
      ['keywords', 3],
      ['others', 1],
      ['reports', 2],
    ]);
    expect(ran.map(({ error }) => error)).toEqual(ran.map(() => undefined));
  });

  test('records are handed over as they came', async () => {
    const record = { event: 'reply', ...reply(PHONE, 'TD') };
    await template.run('Reports and replies', record);
    expect(n8n.calls).toEqual([{ workflow: 'keywords', items: [record] }]);
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
});

// F12
describe('Repeat Failed Executions', () => {
  const template = useTemplate('one-trigger', {
    ...REPLIES,
    'Reports and replies': { events: ['deliveryReport', 'reply'] },
    'Workflow for reports': { workflowId: picked('reports') },
  });

  const { n8n } = template;

  test('the database of one is away: its records come again, and the others have had theirs', async () => {
    jest.spyOn(n8n.failing, 'has').mockReturnValueOnce(true);
    template.gateway.queueReports([1, 2, 3].map((digit) => report(`1381000001${digit}`)));
    template.gateway.queueReplies([reply(PHONE, 'TD')]);
    const ran = await template.poll('Reports and replies', 2);
    expect(ran.map(({ error }) => error !== undefined)).toContain(true);
    const stored = n8n.calls.filter(({ workflow }) => workflow === 'reports');
    const phones = stored.flatMap(({ items }) => items.map(({ phone_number }) => phone_number));
    expect([...new Set(phones)].sort()).toEqual(['13810000011', '13810000012', '13810000013']);
  });
});

describe('with replies alone, as it is imported', () => {
  const template = useTemplate('one-trigger', REPLIES);

  const { n8n } = template;

  // n8n publishes no workflow with a node that lacks a parameter. One that is deactivated passes records on, as if done.
  test('only workflows for replies have to be chosen, and no node has to be activated', () => {
    const { nodes } = readExample('one-trigger');
    expect(nodes.filter(({ disabled }) => disabled)).toEqual([]);
    const toChoose = nodes.filter(
      ({ parameters: { workflowId } }) => (workflowId as IDataObject | undefined)?.value === '',
    );
    expect(toChoose.map(({ name }) => name).toSorted()).toEqual(Object.keys(REPLIES).toSorted());
  });

  test('reports stay with the service', async () => {
    template.gateway.queueReports([report(PHONE)]);
    template.gateway.queueReplies([reply(PHONE, 'TD'), reply(PHONE, 'Hello')]);
    const ran = await template.poll('Reports and replies');
    expect(n8n.calls.map(({ workflow }) => workflow)).toEqual(['keywords', 'others']);
    expect(ran.map(({ error }) => error)).toEqual([undefined]);
    expect(template.gateway.requests.map(({ path }) => path)).not.toContainEqual(
      expect.stringContaining('report'),
    );
  });

  test.each<[string, IDataObject, RegExp | undefined, string[]]>([
    ['a report', { event: 'deliveryReport', ...report(PHONE) }, /has failed, or is not chosen/, []],
    ['an answer that nobody can read', unreadable, undefined, ['others']],
    [
      'an opt-out among other words',
      { event: 'reply', content: 'TD 张三' },
      undefined,
      ['keywords'],
    ],
    ['a complaint', { event: 'reply', content: '我要投诉' }, undefined, ['keywords']],
    ['a reply without text', { event: 'reply', mobile: 1 }, undefined, ['others']],
    ['a reply that is a number', { event: 'reply', content: 2 }, undefined, ['keywords']],
    ['a reply of both kinds', { event: 'reply', content: '1 or 2?' }, undefined, ['others']],
  ])('%s is no silence', async (_, record, message, workflows) => {
    const { error } = await template.run('Reports and replies', record);
    expect(error).toEqual(message && expect.stringMatching(message));
    expect(n8n.calls.map(({ workflow }) => workflow)).toEqual(workflows);
  });
});
