import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/** What the output of the node says. */

/** What it says of one number of an item. */
export interface Claim {
  item: number;
  /** Empty for an item that could not be read. */
  phone: string;
  status: string;
  msg: string;
  warning: string;
  isMerged: boolean;
}

export const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

/** On the error branch the outcome is under `details`. */
export const outcomeOf = ({ json }: INodeExecutionData) => (json.details ?? json) as IDataObject;

/** The claims of one output item, a claim for each number. */
export function claimsOf(output: INodeExecutionData): Claim[] {
  const outcome = outcomeOf(output);
  const parts = (outcome.parts ?? [outcome]) as IDataObject[];
  return parts.flatMap(({ phone_numbers: phones, status, msg, warning, merged }) =>
    ((phones as string[]).length > 0 ? (phones as string[]) : ['']).map((number) => ({
      item: itemOf(output),
      phone: number,
      status: String(status),
      msg: String(msg),
      warning: String(warning),
      isMerged: merged === true,
    })),
  );
}
