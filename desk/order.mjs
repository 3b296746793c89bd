// The order in which the workflows of the desk are published.

/** @typedef {{ id?: string, nodes: import('./update.mjs').Node[] }} Workflow */

/** The IDs of the workflows that a workflow calls. */
const calledBy = ({ nodes }) =>
  nodes
    .map(({ parameters }) => parameters.workflowId?.value)
    .filter((id) => typeof id === 'string' && !id.startsWith('='));

/** Whether a workflow makes tables when it is published. */
const makesTables = ({ nodes }) =>
  nodes.some(
    ({ parameters }) => parameters.resource === 'table' && parameters.operation === 'create',
  );

/** Whether a workflow writes its name into a table when it is published. */
const subscribes = ({ nodes }) =>
  nodes.some(
    ({ parameters }) =>
      parameters.operation === 'upsert' && parameters.dataTableId?.value === 'sms_subscribers',
  );

/**
 * Puts those that make tables before those that use them, those that use them at once last, and a workflow behind
 * those that it calls, because n8n publishes it only then.
 *
 * @template {Workflow} W
 * @param {W[]} workflows as `build.ts` writes them
 * @returns {W[]}
 */
export function inOrder(workflows) {
  /** @type {W[]} */
  const done = [];
  const visit = (workflow) => {
    if (!workflow || done.includes(workflow)) return;
    for (const id of calledBy(workflow))
      if (id !== workflow.id) visit(workflows.find((each) => each.id === id));
    if (!done.includes(workflow)) done.push(workflow);
  };
  const rank = (workflow) => (subscribes(workflow) ? 1 : -makesTables(workflow));
  workflows.toSorted((a, b) => rank(a) - rank(b)).forEach(visit);
  return done;
}
