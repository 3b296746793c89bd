import { EVENT_OPTIONS } from '../../receiving/triggerFields';
import { pullOperation } from '../../receiving/pullOperation';
import type { Resource } from '../../operations/operation';

const pull = pullOperation('reply');

export const reply: Resource = {
  option: EVENT_OPTIONS.reply,
  operations: [pull],
  defaultOperation: pull,
};
