import type { Resource } from '../../operations/operation';
import { ABOUT } from '../../parameters/locators';
import { create } from './create';
import { del } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const lead: Resource = {
  option: { name: 'Lead', value: 'lead', description: ABOUT.lead },
  operations: [create, del, get, getAll, update],
  defaultOperation: getAll,
};
