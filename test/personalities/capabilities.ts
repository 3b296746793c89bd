import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { RUN_OPTIONS } from '../../nodes/SmsMessagingService/sending/options';
import type { Gateway, SandboxState } from '../sandbox/gateway';
import type { Harness } from '../engine/harness';
import { byId } from '../engine/harness/locators';
import { PATHS, REPLIES } from '../engine/harness/pulls';
import type { EventName } from '../engine/harness/pulls';
import { CUSTOM, people, TEMPLATE } from '../engine/harness/sends';

/** What a user can do with the nodes, each with a judge that looks at the gateway and not at our code. */

/** More than a small page of any personality. */
export const RECORDS = 45;
const RECIPIENTS = 25;

/** A gateway with some personalities, and n8n with a credential for it. */
export interface Scene extends Harness {
  gateway: Gateway;
  /** Names of the personalities. */
  names: readonly string[];
}

/** What the user sees. `text` is the error with its advice. */
export type Result = { kind: 'works' } | { kind: 'fails'; text: string };

export interface Capability {
  name: string;
  /** Its column in the table of docs/build/personalities.md. */
  group: string;
  /**
   * Tries it once, with fresh records.
   *
   * @param settings what the user has set beside the required fields
   * @throws an error of jest when the result is wrong, and nothing says so
   */
  attempt: (scene: Scene, settings: INodeParameters) => Promise<Result>;
}

interface Operation {
  group: string;
  parameters: (scene: Scene) => INodeParameters;
  items?: IDataObject[];
  prepare?: (scene: Scene) => void;
  /** Compares the output with what the gateway has. */
  judge: (scene: Scene, json: IDataObject[]) => void;
}

function operation(
  name: string,
  { group, parameters, items, prepare, judge }: Operation,
): Capability {
  const [resource = '', operationName = ''] = name.split('.');
  return {
    name,
    group,
    attempt: async (scene, settings) => {
      prepare?.(scene);
      const { json, error } = await scene.execute(
        { resource, operation: operationName, ...parameters(scene), ...settings },
        items,
      );
      if (error) return { kind: 'fails', text: textOf(error) };
      judge(scene, json);
      return { kind: 'works' };
    },
  };
}

/** Message and description, as the editor shows them. */
export function textOf(error: unknown): string {
  const { message, description } = error as { message: string; description?: string };
  return `${message}. ${description ?? ''}`;
}

/**
 * What comes of some work. The judge stands outside of the `catch`, because an error of jest is none of
 * the node.
 */
async function resultOf<T>(work: () => Promise<T>, judge: (value: T) => Result): Promise<Result> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    return { kind: 'fails', text: textOf(error) };
  }
  return judge(value);
}

type Kind = 'qualifications' | 'signatures' | 'templates' | 'leads';

const ids = (scene: Scene, kind: Kind) => [...scene.gateway.state[kind].keys()].map(String).sort();

const idsIn = (records: IDataObject[]) => records.map(({ id }) => String(id)).sort();

// --- Sends ---

function send(name: string, parameters: INodeParameters): Capability {
  return operation(name, {
    group: 'Sends',
    parameters: () => parameters,
    items: people(RECIPIENTS, { content: 'Hello' }),
    judge: ({ gateway }, json) => {
      const { reports } = gateway.state;
      const batches = new Map([...reports].map((each) => [each.phone_number, each.batch_id]));
      expect(json).toHaveLength(RECIPIENTS);
      for (const { status, batch_id: batchId, phone_numbers: numbers } of json) {
        const [number = ''] = numbers as string[];
        expect({ status, batchId }).toEqual({ status: 'accepted', batchId: batches.get(number) });
      }
      expect([...gateway.deliveries().values()]).toEqual(Array(RECIPIENTS).fill(1));
    },
  });
}

/** A check: nothing is sent. A length that is not known is left out, and a warning says why. */
const check: Capability = {
  name: 'message.check',
  group: RUN_OPTIONS.checkOnly.label,
  attempt: async (scene, settings) => {
    const parameters = { ...TEMPLATE, options: { checkOnly: true }, ...settings };
    const { json, error } = await scene.execute(parameters, people(RECIPIENTS));
    if (error) return { kind: 'fails', text: textOf(error) };
    expect(scene.gateway.deliveries().size).toBe(0);
    expect(json).toHaveLength(RECIPIENTS);
    if (json[0]?.status === 'rejected') {
      const { msg, warning } = json[0];
      return { kind: 'fails', text: `${String(msg)}. ${String(warning)}` };
    }
    const text = '【青禾科技】您的验证码是1000,5分钟内有效,请勿告诉他人。';
    for (const { status, characters, warning, run } of json) {
      expect({ status, run }).toMatchObject({ status: 'checked', run: { messages: RECIPIENTS } });
      if (warning === undefined) expect(characters).toBe(text.length);
    }
    return { kind: 'works' };
  },
};

// --- Pulls ---

const QUEUES = {
  deliveryReport: ({ reports }: SandboxState) => [...reports],
  reply: ({ replies }: SandboxState) => [...replies],
};

/** What is waiting in the queue, as a workflow should get it. */
let waiting: IDataObject[] = [];

function fill({ gateway }: Scene, event: EventName): void {
  if (event === 'reply') gateway.queueReplies(RECIPIENTS);
  else gateway.queueReports(RECIPIENTS);
  waiting = QUEUES[event](gateway.state).map((record) => ({
    batch_id: record.batch_id,
    phone_number: String('mobile' in record ? record.mobile : record.phone_number),
    time_iso: new Date(record.time * 1000).toISOString(),
  }));
}

function expectPulled(json: IDataObject[], isAll = true): void {
  const got = json.map(({ batch_id, phone_number, time_iso }) => ({
    batch_id,
    phone_number,
    time_iso,
  }));
  expect(got.length).toBeGreaterThan(0);
  expect(got).toEqual(isAll ? waiting : waiting.slice(0, got.length));
}

function pull(event: EventName): Capability {
  return operation(`${event}.pull`, {
    group: 'Pulls',
    parameters: () => ({ options: { pullUntilEmpty: true } }),
    prepare: (scene) => fill(scene, event),
    judge: (_, json) => expectPulled(json),
  });
}

function trigger(event: EventName): Capability {
  return {
    name: `trigger: ${event}`,
    group: 'Trigger',
    attempt: async (scene, settings) => {
      fill(scene, event);
      const poller = scene.createPoller({ events: [event], ...settings });
      const poll = async () => {
        try {
          await poller.activate();
          await poller.tick();
        } finally {
          await poller.deactivate();
        }
        return poller;
      };
      return await resultOf(poll, ({ errors: [error], executions }) => {
        if (error) return { kind: 'fails', text: textOf(error) };
        expectPulled(executions.flat());
        return { kind: 'works' };
      });
    },
  };
}

const liveTest: Capability = {
  name: 'trigger: live test in the editor',
  group: 'Trigger',
  attempt: async (scene, settings) => {
    fill(scene, 'reply');
    const parameters = { events: ['reply'], testData: 'live', ...settings };
    return await resultOf(
      () => scene.testTrigger(parameters),
      (json) => {
        expectPulled(json, false);
        expect(scene.gateway.requests.map(({ path }) => path)).toContain(REPLIES);
        return { kind: 'works' };
      },
    );
  },
};

// --- Records ---

interface Managed {
  kind: Kind;
  /** A record that may be changed. */
  id: number;
  inferred: string[];
  create: (scene: Scene) => INodeParameters;
  /** Fields of an update. The API has the same names for them. */
  update: IDataObject & INodeParameters;
}

const MANAGED: Record<string, Managed> = {
  qualification: {
    kind: 'qualifications',
    id: 103,
    inferred: ['create', 'update'],
    create: () => ({ name: 'New', companyName: 'New Co.' }),
    update: { name: 'Changed' },
  },
  signature: {
    kind: 'signatures',
    id: 203,
    inferred: ['get', 'getAll', 'update', 'delete'],
    create: () => ({
      name: 'New',
      additionalFields: { qualificationId: byId(101) },
    }),
    update: { name: 'Changed' },
  },
  template: {
    kind: 'templates',
    id: 305,
    inferred: ['create', 'update'],
    create: (scene) => ({
      name: 'New',
      content: scene.names.includes('percent-marks') ? 'Hi %name%' : 'Hi ${name}',
    }),
    update: { remark: 'Changed' },
  },
  lead: {
    kind: 'leads',
    id: 403,
    inferred: ['delete'],
    create: () => ({ signatureId: byId(201) }),
    update: { domain: 'changed.example' },
  },
};

function records(resource: string, managed: Managed): Capability[] {
  const { kind, id, inferred, create, update } = managed;
  const groupOf = (name: string, group: string) =>
    inferred.includes(name) ? 'By name only' : group;
  const chosen = () => ({ [`${resource}Id`]: byId(id) });
  return [
    operation(`${resource}.getAll`, {
      group: groupOf('getAll', 'Lists'),
      parameters: () => ({ returnAll: true, simplify: false }),
      judge: (scene, json) => {
        expect(json).toHaveLength(RECORDS);
        expect(idsIn(json)).toEqual(ids(scene, kind));
      },
    }),
    operation(`${resource}.get`, {
      group: groupOf('get', 'Lists'),
      parameters: () => ({ ...chosen(), simplify: false }),
      judge: (_, json) => {
        expect(idsIn(json)).toEqual([String(id)]);
      },
    }),
    operation(`${resource}.create`, {
      group: groupOf('create', 'Changes'),
      parameters: create,
      judge: (scene, json) => {
        const [newest = 0] = [...scene.gateway.state[kind].keys()].slice(-1);
        expect(scene.gateway.state[kind].size).toBe(RECORDS + 1);
        expect(idsIn(json)).toEqual([String(newest)]);
      },
    }),
    operation(`${resource}.update`, {
      group: groupOf('update', 'Changes'),
      parameters: () => ({ ...chosen(), updateFields: update }),
      judge: (scene, json) => {
        expect(scene.gateway.state[kind].get(id)).toMatchObject(update);
        expect(idsIn(json)).toEqual([String(id)]);
      },
    }),
    operation(`${resource}.delete`, {
      group: groupOf('delete', 'Changes'),
      parameters: chosen,
      judge: (scene, json) => {
        expect(scene.gateway.state[kind].has(id)).toBe(false);
        expect(json).toEqual([{ deleted: true, id: expect.anything() }]);
        expect(idsIn(json)).toEqual([String(id)]);
      },
    }),
  ];
}

// --- The editor ---

function picker(method: string, kind: Kind): Capability {
  return {
    name: `picker: ${kind}`,
    group: 'Pickers',
    attempt: async (scene) => {
      const values: string[] = [];
      const scroll = async () => {
        let token: string | undefined;
        do {
          const page = await scene.search(method, undefined, token);
          values.push(...page.results.map(({ value }) => String(value)));
          token = page.paginationToken as string | undefined;
        } while (token);
      };
      return await resultOf(scroll, () => {
        expect(values.sort()).toEqual(ids(scene, kind));
        return { kind: 'works' };
      });
    },
  };
}

const mapper: Capability = {
  name: "template's parameters",
  group: 'Parameters',
  attempt: async (scene) => {
    return await resultOf(
      () => scene.mapperFields(TEMPLATE),
      ({ fields, emptyFieldsNotice = '' }) => {
        if (fields.length === 0) return { kind: 'fails', text: emptyFieldsNotice };
        const names = fields.filter(({ readOnly }) => !readOnly).map(({ id }) => id);
        expect(names).toEqual(['code', 'minutes']);
        return { kind: 'works' };
      },
    );
  },
};

const credentialTest: Capability = {
  name: "credential's test",
  group: 'Credential',
  attempt: async (scene) => {
    const { status, message } = await scene.testCredential();
    return status === 'OK' ? { kind: 'works' } : { kind: 'fails', text: message };
  },
};

/** Nothing there must not look like a failure, nor the other way round. */
const nothing: Capability = {
  name: 'nothing there',
  group: 'Empty answers',
  attempt: async (scene, settings) => {
    const texts: string[] = [];
    const run = async (parameters: INodeParameters) => {
      const { json, error } = await scene.execute({ ...parameters, ...settings });
      if (error) texts.push(textOf(error));
      return json;
    };
    const none = { filters: { name: 'nothing has this name' } };
    const found = [
      await run({ resource: 'template', operation: 'getAll', ...none }),
      await run({ resource: 'qualification', operation: 'getAll', returnAll: true, ...none }),
      await run({ resource: 'deliveryReport', operation: 'pull', count: 10 }),
      await run({ resource: 'reply', operation: 'pull', count: 10 }),
    ];
    if (texts.length > 0) return { kind: 'fails', text: texts.join(' ') };
    expect(found).toEqual([[], [], [], []]);
    const parameters = { resource: 'template', operation: 'get', templateId: byId(999) };
    const { error } = await scene.execute(parameters);
    expect(error?.message).toBe('There is no template with the ID 999');
    return { kind: 'works' };
  },
};

/** A refusal must be told with the service's own code and words. */
const refusal: Capability = {
  name: 'refusal',
  group: 'Refusals',
  attempt: async (scene) => {
    const { error } = await scene.execute({
      resource: 'template',
      operation: 'delete',
      templateId: byId(999),
    });
    const text = textOf(error);
    if (scene.gateway.requests.every(({ outcome }) => outcome !== 'refused 2009')) {
      return { kind: 'fails', text };
    }
    expect(text).toMatch(/记录不存在.*\(code 2009\)/);
    return { kind: 'works' };
  },
};

export const CAPABILITIES: readonly Capability[] = [
  credentialTest,
  send('message.sendTemplate', TEMPLATE),
  send('message.sendCustom', CUSTOM),
  check,
  operation('balance.get', {
    group: 'Balance',
    parameters: () => ({}),
    judge: ({ gateway }, json) => {
      expect(json.map(({ balance }) => Number(balance))).toEqual([gateway.state.balance]);
    },
  }),
  ...(Object.keys(PATHS) as EventName[]).flatMap((event) => [pull(event), trigger(event)]),
  liveTest,
  ...Object.entries(MANAGED).flatMap(([resource, managed]) => records(resource, managed)),
  picker('searchTemplates', 'templates'),
  picker('searchSignatures', 'signatures'),
  picker('searchQualifications', 'qualifications'),
  picker('searchLeads', 'leads'),
  mapper,
  nothing,
  refusal,
];
