import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CREDENTIAL } from '../kit/engine';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { useGatewayPerTest } from '../kit/engine/gateway';
import { REPORTS_ONLY } from '../kit/engine/pulls';
import { CONTINUE, messagesOf, people, TEMPLATE } from '../kit/engine/sends';

/** The defaults that the reference prints: each as a run without the option has it. */

const harness = useGatewayPerTest();
const { gateway, execute, callTool, poll, testTrigger, restart } = harness;

const store = DeduplicationStore.install();

const reference = readFileSync(
  path.resolve(__dirname, '../../docs/reference/operations.md'),
  'utf8',
);

/** Part of the reference → name of the parameter → default, of those that have one. */
const printed = new Map(
  [...reference.matchAll(/<!-- (\w+) -->\n\n([^]*?)\n\n<!-- \/ -->/g)].map(
    ([, part = '', text = '']) => {
      const lines = text.matchAll(/^- \*\*.+?\*\* \(`([\w.]+)`.* Default: (.+)$/gm);
      return [part, new Map([...lines].map(([, name = '', value = '']) => [name, value]))];
    },
  ),
);

/** The value that a default stands for. */
function valueOf(text: string, options: IDataObject = {}): IDataObject[string] {
  if (text === 'no limit') return 1_000_000;
  if (text === '**Pull Size**') return options.pullSize;
  const [, code = ''] = /^`(\w+)`$/.exec(text) ?? [];
  return /^\d|^true$/.test(code) ? (JSON.parse(code) as number | boolean) : code;
}

/** Returns a function that gives the Timeouts of the requests since, in milliseconds. */
function observeTimeouts(): () => unknown[] {
  const { type } = harness.loader.getCredential(CREDENTIAL);
  const authenticate = jest.spyOn(type, 'authenticate' as never);
  return () => {
    const calls = authenticate.mock.calls as unknown as [unknown, IDataObject][];
    const timeouts = calls.map(([, { timeout }]) => timeout);
    authenticate.mockRestore();
    return timeouts;
  };
}

interface Part {
  /** What a run with these parameters does. */
  run: (parameters: IDataObject) => Promise<unknown>;
  /** A parameter, another value than its default, and what is set beside it so that the two differ. */
  rows: [name: string, other: IDataObject[string], beside?: IDataObject][];
}

/** With it, a run has more requests than may be under way. */
const SMALL = 17;

const PARTS: Record<string, Part> = {
  sendOptions: {
    run: async (parameters) => {
      store.clear();
      const timeoutsOf = observeTimeouts();
      const send = async (items: IDataObject[]) => {
        const { json } = await execute({ ...TEMPLATE, ...parameters }, items, CONTINUE);
        return json.map(({ status, msg }) => [status, msg]);
      };
      // How many are under way shows only in what takes time.
      const isSlow = (parameters.options as IDataObject | undefined)?.batchSize === SMALL;
      gateway.fault({ kind: 'slow', delayMs: isSlow ? 250 : 0, times: Infinity });
      const others = [people(1)[0] ?? {}, { phone: '02112345678', code: '1' }];
      const outcomes = await send([...people(101), ...others]);
      const sizes = gateway.requests.map((request) => messagesOf(request).length).sort();
      const { maxInFlight } = gateway;
      const [timeout] = timeoutsOf();
      gateway.reset();
      gateway.fault({ kind: 'tooManyRequests', times: Infinity });
      await send(people(1));
      return { outcomes, sizes, maxInFlight, timeout, tries: gateway.requests.length };
    },
    rows: [
      ['options.batchSize', 99],
      ['options.duplicateNumbers', 'merge'],
      ['options.maxConcurrency', 3, { options: { batchSize: SMALL } }],
      ['options.maxMessages', 100],
      ['options.maxPerNumberAndDay', 1],
      ['options.maxRetries', 2],
      ['options.phoneNumberFormat', 'any'],
      ['options.timeout', 29_999],
    ],
  },
  pullFields: {
    run: async (parameters) => {
      const timeoutsOf = observeTimeouts();
      await execute({ resource: 'reply', operation: 'pull', ...parameters }, [{}]);
      return [gateway.requests.map(({ body }) => body), timeoutsOf()];
    },
    rows: [
      ['count', 99],
      ['options.timeout', 10_001],
    ],
  },
  listFields: {
    run: async (parameters) => {
      const list = {
        resource: 'qualification',
        operation: 'getAll',
        ...parameters,
      } as INodeParameters;
      const { json } = await execute(list, [{}]);
      const asked = gateway.requests.map(({ body }) => body);
      return [json, asked, await callTool('test.chainAgent', list, [{}])];
    },
    rows: [
      ['limit', 49],
      ['simplify', false],
      ['output', 'raw'],
      ['options.pageSize', 99, { returnAll: true }],
    ],
  },
  triggerFields: {
    run: async (parameters) => {
      const { pullSize = 100 } = (parameters.options ?? {}) as { pullSize?: number };
      // More than Max Records per Poll, but only where it takes few pulls.
      gateway.queueReports(pullSize === 1000 ? 10_010 : 250);
      const trigger = { ...REPORTS_ONLY, ...parameters };
      const shown = await testTrigger(trigger);
      const timeoutsOf = observeTimeouts();
      const { executions } = await poll(trigger);
      const asked = gateway.requests.map(({ body }) => body);
      return [shown.length, executions.map((items) => items.length), asked, timeoutsOf()];
    },
    rows: [
      ['testData', 'live'],
      ['options.itemsPerExecution', 100, { options: { pullSize: 200 } }],
      ['options.maxRecordsPerPoll', 9_999, { options: { pullSize: 1000 } }],
      ['options.pullSize', 99],
      ['options.timeout', 10_001],
    ],
  },
};

const cases = Object.entries(PARTS).flatMap(([part, { run, rows }]) =>
  rows.map(([name, other, beside = {}]) => ({ name, part, run, other, beside })),
);

test('each default that is printed is compared', () => {
  const all = [...printed].flatMap(([part, defaults]) =>
    [...defaults.keys()].map((name) => `${part}: ${name}`),
  );
  expect(all.sort()).toEqual(cases.map(({ part, name }) => `${part}: ${name}`).sort());
});

test.each(cases)('$name of $part', async ({ name, part, run, other, beside }) => {
  const runWith = async (parameters: IDataObject) => {
    await restart({ records: { qualifications: 120 } });
    return await run(parameters);
  };
  const options = beside.options as IDataObject | undefined;
  const withValue = (value: IDataObject[string]): IDataObject => {
    const [, option] = name.split('options.');
    return {
      ...beside,
      ...(option ? { options: { ...options, [option]: value } } : { [name]: value }),
    };
  };
  const without = await runWith(beside);
  const value = valueOf(printed.get(part)?.get(name) ?? '', options);
  expect(await runWith(withValue(value))).toEqual(without);
  expect(await runWith(withValue(other))).not.toEqual(without);
});
