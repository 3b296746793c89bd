'use strict';
const path = require('node:path');

const workflow = require(path.resolve(process.env.MATRIX_FOLDER, 'node_modules/n8n-workflow'));

/** The installed n8n-workflow, with the exports of newer versions that the tests' harness needs. */
module.exports = {
  createRunExecutionData,
  ManualExecutionCancelledError: workflow.ExecutionCancelledError,
  SystemShutdownExecutionCancelledError: workflow.ExecutionCancelledError,
  TimeoutExecutionCancelledError: workflow.ExecutionCancelledError,
  ...workflow,
};

/** The data of an execution. Fields that are not given are empty. Exists since n8n 2.0. */
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
