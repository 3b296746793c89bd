import type { Resource } from '../../operations/operation';
import { ABOUT } from '../../parameters/locators';
import { create } from './create';
import { del } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { update } from './update';

export const template: Resource = {
  option: { name: 'Template', value: 'template', description: ABOUT.template },
  operations: [create, del, get, getAll, update],
  defaultOperation: getAll,
};
