import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** The item that an output is of. */
export const itemOf = ({ pairedItem }: Pick<INodeExecutionData, 'pairedItem'>) =>
  (pairedItem as { item: number }).item;

/** On the error branch the outcome is under `details`. */
export const outcomeOf = ({ json }: INodeExecutionData) => (json.details ?? json) as IDataObject;
