import type { IDataObject } from 'n8n-workflow';
import type { PageLedger as Ledger } from '../../../dist/nodes/SmsMessagingService/receiving/pageLedger';
import { RecordMemory } from '../../../dist/nodes/SmsMessagingService/receiving/recordMemory';

/** Left-over pages of several processes, which share only static data. */

/** The ledger of one process: the module is loaded anew. */
function startProcess(store: IDataObject) {
  let loaded: { PageLedger: typeof Ledger } | undefined;
  jest.isolateModules(() => {
    loaded = jest.requireActual<{ PageLedger: typeof Ledger }>(
      '../../../dist/nodes/SmsMessagingService/receiving/pageLedger',
    );
  });
  const memory = new RecordMemory({}, 'reply');
  const open = () =>
    (loaded as { PageLedger: typeof Ledger }).PageLedger.open('trigger/reply', {
      memory,
      store,
      key: 'pages',
      save: () => undefined,
    });
  return { memory, open };
}

const whole = (records: unknown[]) => [records];

function refuse(ledger: Ledger, { memory }: ReturnType<typeof startProcess>, ids: number[]): void {
  for (const id of ids) {
    const page = ledger.arrive(memory.look([{ id }]));
    for (const part of ledger.handOver(page, whole)) ledger.refuse(page, part);
  }
}

function give(ledger: Ledger): unknown[] {
  return ledger.due.flatMap((page) => {
    const parts = ledger.handOver(page, whole);
    parts.forEach(() => ledger.confirm(page));
    return parts.flat();
  });
}

const ids = Array.from({ length: 150 }, (_, id) => id);

test('left-overs that another process has handed over are not handed over again', () => {
  const store: IDataObject = {};
  const [one, other] = [startProcess(store), startProcess(store)];
  refuse(one.open(), one, ids);
  expect(give(other.open())).toEqual(ids.map((id) => ({ id })));
  expect(give(one.open())).toEqual([]);
  expect(give(startProcess(store).open())).toEqual([]);
});

test('a left-over page goes from process to process until one confirms it', () => {
  const store: IDataObject = {};
  const processes = [startProcess(store), startProcess(store), startProcess(store)] as const;
  const [first] = processes;
  refuse(first.open(), first, [1]);
  for (const { open } of [...processes, ...processes]) {
    const ledger = open();
    const [page] = ledger.due;
    if (!page) throw new Error('The page is lost');
    for (const part of ledger.handOver(page, whole)) ledger.refuse(page, part);
  }
  for (const { open } of processes) expect(open().isOpen).toBe(false);
  expect(give(processes[1].open())).toEqual([{ id: 1 }]);
  for (const { open } of processes) {
    expect(open().isOpen).toBe(true);
    expect(give(open())).toEqual([]);
  }
});

test('left-overs of version 0.1.0 are handed over', () => {
  const leftOvers = [
    { id: 'a', records: [{ id: 1 }], by: 'before' },
    { id: 'b', records: [], by: 'before' },
  ];
  const store: IDataObject = { pages: { version: 1, leftOvers } };
  expect(give(startProcess(store).open())).toEqual([{ id: 1 }]);
  expect(give(startProcess(store).open())).toEqual([]);
});

test('a page that n8n did not refuse is not in static data', () => {
  const store: IDataObject = {};
  const process = startProcess(store);
  const ledger = process.open();
  const page = ledger.arrive(process.memory.look([{ id: 1 }]));
  ledger.handOver(page, whole);
  ledger.confirm(page);
  expect(store).toEqual({});
  expect(ledger.isOpen).toBe(true);
});
