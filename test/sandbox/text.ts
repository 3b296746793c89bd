/** A parameter in the text of a template. The specification does not show how it is written. */
const PLACEHOLDER = /\$\{([^{}]+)\}/g;

/** Returns the different parameter names in a template's text, in order of appearance. */
export function placeholders(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Returns the text with the values of its parameters. A placeholder without a value remains. */
export function render(content: string, params: Record<string, string>): string {
  return content.replace(PLACEHOLDER, (match, name: string) => params[name] ?? match);
}

/** Returns the number of parts of a text (`split_count`): one up to 70 characters, then one for each 67. */
export function partsOf(text: string): number {
  return text.length <= 70 ? 1 : Math.ceil(text.length / 67);
}

/** The final status of a message, as in its delivery report. */
export interface DeliveryOutcome {
  status: string;
  status_desc: string;
}

const DELIVERED: DeliveryOutcome = { status: 'DELIVRD', status_desc: '接收成功' };

/** Last four digits of a phone number → status of every message to it. */
const OUTCOMES_BY_ENDING: Readonly<Record<string, DeliveryOutcome>> = {
  '0001': { status: 'UNDELIV', status_desc: '空号' },
  '0002': { status: 'EXPIRED', status_desc: '关机或不在服务区' },
  '0003': { status: 'REJECTD', status_desc: '用户拒收' },
};

/** Returns the delivery status of a message. It depends only on the last digits of the phone number. */
export function outcomeFor(phoneNumber: string): DeliveryOutcome {
  return OUTCOMES_BY_ENDING[phoneNumber.slice(-4)] ?? DELIVERED;
}
