// The order in which docs/operations.md is read. The editor's own lists are in the order of the alphabet.

/** What is used most comes first. */
const RESOURCES = [
  'message',
  'balance',
  'deliveryReport',
  'reply',
  'template',
  'signature',
  'qualification',
  'lead',
];

const OPERATIONS = ['sendTemplate', 'sendCustom', 'getAll', 'get', 'create', 'update', 'delete'];

/** The heading of what every operation has. */
export const OF_ALL = 'Fields of all operations';

/**
 * The headings of what several operations share, by one of the fields that they share. The other fields
 * are found by comparison. What is shared without having a heading here stays with each operation.
 */
export const SHARED = {
  'options.batchSize': 'Options of sends',
  returnAll: 'Options of lists',
  simplify: 'Options of output',
  'options.pullUntilEmpty': 'Options of pulls',
  'options.endpointPath': OF_ALL,
};

/** Resources in the order of the page. One that is missing above comes last. */
export const resourcesInOrder = (resources) => inOrder(resources, RESOURCES);

/** Operations of a resource in the order of the page. One that is missing above comes last. */
export const operationsInOrder = (operations) => inOrder(operations, OPERATIONS);

function inOrder(entries, order) {
  const place = ({ value }) => (order.includes(value) ? order.indexOf(value) : order.length);
  return [...entries].sort((a, b) => place(a) - place(b));
}
