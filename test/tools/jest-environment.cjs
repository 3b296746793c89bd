'use strict';
const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Stands for Node's own global object, where jest's environments have one that they made. */
const OWN = {};

const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) => {
  if (options?.parsingContext !== OWN) return compileFunction(code, parameters, options);
  return compileFunction(code, parameters, { ...options, parsingContext: undefined });
};

/** What jest keeps of the globals, whatever a test makes of them. */
const KEPT = {
  'jest-native-promise': Promise,
  'jest-native-now': Date.now.bind(Date),
  'jest-native-read-file': require('node:fs').readFileSync,
  'jest-native-write-file': require('node:fs').writeFileSync,
  'jest-native-exists-file': require('node:fs').existsSync,
};
for (const [name, value] of Object.entries(KEPT)) globalThis[Symbol.for(name)] = value;
globalThis['jest-symbol-do-not-touch'] = Symbol;

/**
 * Runs tests among Node's own globals, as n8n runs. jest's environment gives each file of tests globals of its own,
 * behind a proxy: everything takes a quarter more time, and all of n8n is loaded again for each file (see
 * `jest-runtime.cjs`). What a file leaves in the globals, its environment variables and its spies go with it.
 */
module.exports = class {
  global = globalThis;
  globalsBefore = Object.getOwnPropertyDescriptors(globalThis);
  variablesBefore = { ...process.env };
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig: config }) {
    const { global, moduleMocker } = this;
    const timerConfig = { idToRef: (timer) => timer, refToId: (timer) => timer };
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  async setup() {}

  /** Before jest looks at the clock again. */
  handleTestEvent({ name }) {
    if (name === 'run_finish') this.moduleMocker.restoreAllMocks();
  }

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    restore(process.env, this.variablesBefore);
    for (const name of Reflect.ownKeys(globalThis)) {
      const before = this.globalsBefore[name];
      const { value, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
      if (!before) Reflect.deleteProperty(globalThis, name);
      else if (configurable && 'value' in before && value !== before.value)
        Object.defineProperty(globalThis, name, before);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return OWN;
  }
};

function restore(object, before) {
  for (const name of Object.keys(object)) if (!(name in before)) delete object[name];
  Object.assign(object, before);
}
