/**
 * What a second call with the same values does, by what the first one did: said to people in
 * docs/reference/operations.md, and to models in the tool's description and in the hint for n8n's workflow builder.
 */
export const REPETITION = {
  reads: 'It only reads, so it can be repeated.',
  sends:
    'Each message costs money and cannot be taken back. A second call with the same values sends a second message.',
  usesUp:
    'What is pulled may be gone from the service, for a trigger too. To start a workflow with delivery reports or replies, use the SMS Messaging Service Trigger instead.',
  created: 'A second call may create a second one.',
  updated: 'It can be repeated: it sets the same values again.',
  deleted: 'It may be impossible to undo.',
} as const;
