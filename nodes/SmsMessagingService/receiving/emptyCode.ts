import type { IDataObject, INodeProperties } from 'n8n-workflow';

/** For a service that says with a code that it has no records. */
export const EMPTY_CODE_FIELD: INodeProperties = {
  displayName: 'Empty Queue Code',
  name: 'emptyQueueCode',
  type: 'string',
  default: '',
  placeholder: 'e.g. 1004',
  description: 'Code of an answer without records, if it is not 0. Any other code stops the pull.',
};

/** @param options those of the node */
export function readEmptyCode({ emptyQueueCode }: IDataObject): string | undefined {
  return String(emptyQueueCode ?? '').trim() || undefined;
}
