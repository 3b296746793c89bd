'use strict';
const path = require('node:path');

const installed = path.resolve(process.env.MATRIX_FOLDER, 'node_modules/n8n-core');
const core = require(installed);
const { Container } = require('@n8n/di');

const Older = core.TriggersAndPollers ?? older('triggers-and-pollers').TriggersAndPollers;

/** Gives the methods their names of today. Before n8n 2.31 the names were shorter. */
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

/** Runs the polls of a trigger. Before n8n 2.31 n8n-core did not have this class. */
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

/** The installed n8n-core, with the classes of newer versions that the tests' harness needs. */
module.exports = { TriggersAndPollers, PollTriggerExecutor, ...core };

/** Loads a file of n8n-core that its index does not export. */
function older(name) {
  return require(path.join(installed, 'dist/execution-engine', name));
}
