'use strict';
const path = require('node:path');

const installed = path.resolve(process.env.MATRIX_FOLDER, 'node_modules/n8n-core');
const core = require(installed);
const { Container } = require('@n8n/di');

const Older = core.TriggersAndPollers ?? older('triggers-and-pollers').TriggersAndPollers;

/** Before 2.31 the methods had shorter names. */
class TriggersAndPollers {
  constructor() {
    this.older = Container.get(Older);
  }

  async runTriggerFunction(...args) {
    return await (this.older.runTriggerFunction ?? this.older.runTrigger).apply(this.older, args);
  }

  async runPollFunction(...args) {
    return await (this.older.runPollFunction ?? this.older.runPoll).apply(this.older, args);
  }
}

/** Before 2.31 n8n itself made the tick of a trigger. */
class PollTriggerExecutor {
  create(workflow, node, context) {
    return async (isFirst = false) => {
      try {
        const output = await Container.get(TriggersAndPollers).runPollFunction(
          workflow,
          node,
          context,
        );
        if (output !== null) context.__emit(output);
      } catch (error) {
        if (isFirst) throw error;
        context.__emitError(error);
      }
    };
  }
}

Container.set(TriggersAndPollers, new TriggersAndPollers());
Container.set(PollTriggerExecutor, new PollTriggerExecutor());

/** The installed n8n-core, with what the tests' harness takes from newer ones. */
module.exports = { TriggersAndPollers, PollTriggerExecutor, ...core };

function older(name) {
  return require(path.join(installed, 'dist/execution-engine', name));
}
