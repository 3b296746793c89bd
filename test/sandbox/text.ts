/** What a text message is made of: its placeholders, its length in parts, and its fate. */

// The placeholder syntax is "not shown" (§2.6). The seeds use ${name}; the other common spellings
// are understood too, so that templates of any operator's style can be put into the state.
const PLACEHOLDER = /\$\{([^{}]+)\}|\{\{([^{}]+)\}\}|\{([^{}]+)\}|#([^#\s]+)#/g;

function nameIn(groups: readonly (string | undefined)[]): string {
  return (groups.find((group) => group !== undefined) ?? '').trim();
}

/** The distinct parameter names of a template's text, in order of appearance. */
export function placeholders(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, ...groups]) => nameIn(groups)))];
}

/** The text with its parameters filled in. */
export function render(content: string, params: Record<string, string>): string {
  return content.replace(
    PLACEHOLDER,
    (match: string, ...groups: (string | undefined)[]) =>
      params[nameIn(groups.slice(0, 4))] ?? match,
  );
}

/** How many parts a text takes (`split_count`, §2.2): one up to 70 characters, then 67 each. */
export function partsOf(text: string): number {
  return text.length <= 70 ? 1 : Math.ceil(text.length / 67);
}

export interface DeliveryOutcome {
  status: string;
  status_desc: string;
}

const DELIVERED: DeliveryOutcome = { status: 'DELIVRD', status_desc: '接收成功' };

/** Last four digits of a number → what becomes of every message to it. */
const OUTCOMES_BY_ENDING: Readonly<Record<string, DeliveryOutcome>> = {
  '0001': { status: 'UNDELIV', status_desc: '空号' },
  '0002': { status: 'EXPIRED', status_desc: '关机或不在服务区' },
  '0003': { status: 'REJECTD', status_desc: '用户拒收' },
};

/** The delivery status of a message to this number (§2.2), decided by the number's last digits. */
export function outcomeFor(phoneNumber: string): DeliveryOutcome {
  return OUTCOMES_BY_ENDING[phoneNumber.slice(-4)] ?? DELIVERED;
}
