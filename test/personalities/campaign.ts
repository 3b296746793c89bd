import type { INodeParameters } from 'n8n-workflow';
import { createHarness } from '../engine/harness';
import type { Harness } from '../engine/harness';
import { startGateway } from '../sandbox/gateway';
import type { Gateway } from '../sandbox/gateway';
import { optionsOf } from '../sandbox/personalities';
import { RECORDS } from './capabilities';
import type { Capability, Result, Scene } from './capabilities';
import { capabilityNamed, settingsFor } from './settings';
import type { Setting } from './settings';

/** First contact with an SMS provider who has some personalities: each capability is tried as a user would. */

/** How a capability came to work. */
export interface Contact {
  capability: Capability;
  /** What had to be set, in the editor's words. */
  settings: string[];
}

/**
 * Tries capabilities against one gateway. Where one fails, its error must name a setting, and nothing may
 * have changed; then it is tried again with that setting.
 *
 * @throws an error of jest where a result is wrong, or an error does not say what to set
 */
export async function meet(
  names: readonly string[],
  capabilities: readonly Capability[],
): Promise<Contact[]> {
  const gateway = await startGateway({
    ...optionsOf(names),
    records: { qualifications: RECORDS, signatures: RECORDS, templates: RECORDS, leads: RECORDS },
  });
  try {
    const contacts: Contact[] = [];
    for (const capability of capabilities) contacts.push(await tryOut(gateway, names, capability));
    return contacts;
  } finally {
    await gateway.close();
  }
}

async function tryOut(
  gateway: Gateway,
  names: readonly string[],
  capability: Capability,
): Promise<Contact> {
  const applied: Setting[] = [];
  for (;;) {
    gateway.reset();
    const scene = await sceneWith(gateway, names, applied);
    const settings = parametersOf(applied, scene, capability);
    const before = fingerprint(gateway);
    const instead = applied.find((setting) => setting.instead)?.instead;
    const tried = instead ? capabilityNamed(instead) : capability;
    const result = await tried.attempt(scene, settings);
    if (result.kind === 'works') return { capability, settings: applied.map(({ name }) => name) };
    // An error must not leave anything done.
    if (capability.group !== 'Trigger' && capability.group !== 'Pulls') {
      expect(fingerprint(gateway)).toBe(before);
    }
    const needed = new Set([...settingsFor(names, capability), ...settingsFor(names, tried)]);
    applied.push(settingNamedIn(result, [...needed], applied, capability));
  }
}

function settingNamedIn(
  { text }: Extract<Result, { kind: 'fails' }>,
  needed: Setting[],
  applied: Setting[],
  { name }: Capability,
): Setting {
  const open = needed.filter((setting) => !applied.includes(setting));
  const next = open.find((setting) => text.includes(setting.name));
  if (next) return next;
  const wanted = open.map((setting) => setting.name).join(' or ') || 'no setting, but success';
  throw new Error(`${name} should have named ${wanted}. It said: ${text}`);
}

/** n8n with the credential that a user makes of the gateway's address, and changes as errors say. */
async function sceneWith(
  gateway: Gateway,
  names: readonly string[],
  applied: Setting[],
): Promise<Scene> {
  const { apiKey, apiSecret, origin } = gateway;
  const credential = Object.assign(
    { baseUrl: origin, apiKey, apiSecret },
    ...applied.map((setting) => setting.credential?.(gateway)),
  ) as Record<string, unknown>;
  return { ...(await harnessWith(gateway, credential)), gateway, names };
}

/** Of each gateway, by credential: to load the package for each try would take most of the time. */
const harnesses = new WeakMap<Gateway, Map<string, Promise<Harness>>>();

async function harnessWith(gateway: Gateway, credential: Record<string, unknown>) {
  const known = harnesses.get(gateway) ?? new Map<string, Promise<Harness>>();
  harnesses.set(gateway, known);
  const key = JSON.stringify(credential);
  const harness = known.get(key) ?? createHarness(credential);
  known.set(key, harness);
  return await harness;
}

/** All parameters together. Two settings may both be under Options. */
function parametersOf(applied: Setting[], scene: Scene, capability: Capability): INodeParameters {
  const all = applied.map((setting) => setting.parameters?.(scene, capability) ?? {});
  const options = Object.assign({}, ...all.map(({ options: some }) => some)) as INodeParameters;
  const merged = Object.assign({}, ...all) as INodeParameters;
  return Object.keys(options).length > 0 ? { ...merged, options } : merged;
}

function fingerprint({ state }: Gateway): string {
  const { qualifications, signatures, templates, leads, sent } = state;
  return JSON.stringify([[...qualifications], [...signatures], [...templates], [...leads], sent]);
}
