'use strict';
const path = require('node:path');

/** The installed n8n-workflow, with what the tests' harness takes from newer ones. */
const workflow = require(path.resolve(process.env.MATRIX_FOLDER, 'node_modules/n8n-workflow'));

module.exports = {
  createRunExecutionData,
  ManualExecutionCancelledError: workflow.ExecutionCancelledError,
  SystemShutdownExecutionCancelledError: workflow.ExecutionCancelledError,
  TimeoutExecutionCancelledError: workflow.ExecutionCancelledError,
  ...workflow,
};

/** Since 2.0: an execution's data with empty fields for all that is not given. */
function createRunExecutionData({ executionData } = {}) {
  return {
    startData: {},
    resultData: { runData: {}, pinData: {} },
    executionData: {
      contextData: {},
      nodeExecutionStack: [],
      metadata: {},
      waitingExecution: {},
      waitingExecutionSource: {},
      ...executionData,
    },
  };
}
