import type { INodeProperties } from 'n8n-workflow';

/** A field for a whole number of 1 or more. */
export function countField(
  displayName: string,
  name: string,
  defaultValue: number,
  description: string,
): INodeProperties {
  return {
    displayName,
    name,
    type: 'number',
    typeOptions: { minValue: 1, numberPrecision: 0 },
    default: defaultValue,
    description,
  };
}
