import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { itemOf, outcomeOf } from '../../kit/search/outcomes';
import { isUnusable, keyOf, messageName } from './scenario';
import type { Scenario } from './scenario';

/** What the output of the node says. */

/** What it says of one number of an item, and the number's message, key and usability by the scenario. */
export interface Claim {
  item: number;
  /** Empty for an item that could not be read. */
  phone: string;
  message: string;
  key: string | undefined;
  isUnusable: boolean;
  status: string;
  msg: string;
  warning: string;
  isMerged: boolean;
}

/** The claims of one output item, a claim for each number. */
export function claimsOf(scenario: Scenario, output: INodeExecutionData): Claim[] {
  const item = itemOf(output);
  const wanted = scenario.items[item] as Scenario['items'][number];
  const outcome = outcomeOf(output);
  const parts = (outcome.parts ?? [outcome]) as IDataObject[];
  return parts.flatMap(({ phone_numbers: phones, status, msg, warning, merged }) =>
    ((phones as string[]).length > 0 ? (phones as string[]) : ['']).map((phone) => ({
      item,
      phone,
      message: messageName(phone, wanted.code),
      key: keyOf(scenario, wanted),
      isUnusable: isUnusable(scenario, wanted),
      status: String(status),
      msg: String(msg),
      warning: String(warning),
      isMerged: merged === true,
    })),
  );
}
