import type { IDataObject } from 'n8n-workflow';

import { picked, readExample } from '../kit/workflows/workflowFiles';
import { handed, has, PHONE, reply, report, useTemplate } from './run';

const REPLIES = {
  'Workflow for keywords': { workflowId: picked('keywords') },
  'Workflow for other replies': { workflowId: picked('others') },
};

const template = useTemplate('one-trigger', REPLIES);

const { n8n, gateway } = template;

/** As the user chooses who wants reports, too. */
const withReports = () =>
  template.choose({
    'Reports and replies': { events: ['deliveryReport', 'reply'] },
    'Workflow for reports': { workflowId: picked('reports') },
  });

const called = () => n8n.calls.map(({ workflow, items }) => [workflow, items.length]);

describe('with reports and replies', () => {
  beforeEach(withReports);

  test('each record goes as it came to the workflow that wants it', async () => {
    const reports = ['DELIVRD', 'UNDELIV'].map((status) => handed(report(PHONE, status)));
    const [keyword, other, optOut] = ['２', 'Hello', 'TD退订'].map((text) =>
      handed(reply(PHONE, text)),
    ) as [IDataObject, IDataObject, IDataObject];
    const { error } = await template.run('Reports and replies', keyword, ...reports, other, optOut);
    expect(error).toBeUndefined();
    expect(n8n.calls).toEqual([
      { workflow: 'reports', items: reports },
      { workflow: 'keywords', items: [keyword, optOut] },
      { workflow: 'others', items: [other] },
    ]);
  });

  test.each([
    ['reports', ['keywords', 'others']],
    ['keywords', ['reports', 'others']],
    ['others', ['reports', 'keywords']],
  ])('if %s fails, the others get theirs, and then this one fails', async (failing, others) => {
    n8n.failing.add(failing);
    const records = [report(PHONE), reply(PHONE, '1'), reply(PHONE, 'Hello')].map((each) =>
      handed(each),
    );
    const { error } = await template.run('Reports and replies', ...records);
    expect(called()).toEqual(others.map((workflow) => [workflow, 1]));
    expect(error).toMatch(/workflow that this one calls has failed/);
  });

  // F12
  test('the database of one is away: its records come again, and the others have had theirs', async () => {
    jest.spyOn(n8n.failing, 'has').mockReturnValueOnce(true);
    gateway.queueReports([1, 2, 3].map((digit) => report(`1381000001${digit}`)));
    gateway.queueReplies([reply(PHONE, 'TD')]);
    const ran = await template.poll('Reports and replies', 2);
    expect(ran.map(({ error }) => error !== undefined)).toContain(true);
    const stored = n8n.calls.filter(({ workflow }) => workflow === 'reports');
    const phones = stored.flatMap(({ items }) => items.map(({ phone_number }) => phone_number));
    expect([...new Set(phones)].sort()).toEqual(['13810000011', '13810000012', '13810000013']);
  });
});

describe('with replies alone, as it is imported', () => {
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
    gateway.queueReports([report(PHONE)]);
    gateway.queueReplies([reply(PHONE, 'TD'), reply(PHONE, 'Hello')]);
    const ran = await template.poll('Reports and replies');
    expect(n8n.calls.map(({ workflow }) => workflow)).toEqual(['keywords', 'others']);
    expect(ran.map(({ error }) => error)).toEqual([undefined]);
    expect(gateway.state.reports).toHaveLength(1);
  });

  test.each<[string, IDataObject, string[]]>([
    ['an answer that nobody can read', { event: 'unreadable', answer: '{' }, ['others']],
    ['a reply without text', { event: 'reply', mobile: 1 }, ['others']],
    ['a reply that is a number', { event: 'reply', content: 2 }, ['keywords']],
    ['a reply of both kinds', { event: 'reply', content: '1 or 2?' }, ['others']],
    ['a report', handed(report(PHONE)), []],
  ])('%s is no silence', async (what, record, workflows) => {
    const { error } = await template.run('Reports and replies', record);
    const isTold = what === 'a report' && has('has failed, or is not chosen');
    expect(error).toEqual(isTold || undefined);
    expect(n8n.calls.map(({ workflow }) => workflow)).toEqual(workflows);
  });
});
