import type {
  IDataObject,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
  IPollFunctions,
} from 'n8n-workflow';

/*
 * What an older n8n does otherwise, and since when it is as the rest of the package takes it to be.
 * `npm run matrix` runs the tests with older ones.
 */

/**
 * An item that stands for a failure, paired to its input item. It leaves on the error branch where the
 * node has one.
 *
 * n8n since 2.34 knows it by its json, which has the keys `error`, `message` and `details`. Older ones
 * take that for a success: they know two keys, or an `error` beside the json. That one replaces the json
 * later, but not where it is not enumerable: it gets lost when n8n adds the input item's json. (Only a
 * node that has no node before it is left with the text alone.)
 */
export function failedItem(
  { onError }: INode,
  json: IDataObject,
  itemIndex: number,
): INodeExecutionData {
  const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
  if (onError === 'continueErrorOutput') {
    Object.defineProperty(item, 'error', { value: json, enumerable: false, writable: true });
  }
  return item;
}

/** Shows a hint beside the output. Since 1.101 also of a tool; before, a tool shows none. */
export function showHint(context: IExecuteFunctions, message: string): void {
  const { addExecutionHints } = context as Partial<IExecuteFunctions>;
  addExecutionHints?.call(context, { type: 'warning', location: 'outputPane', message });
}

/** How long n8n lets this poll run. Since 2.38; an older n8n lets it run on. */
export function pollBudgetMs(context: IPollFunctions): number {
  return context.getPollBudgetMs?.() ?? Infinity;
}

/**
 * Why a request failed, from the text of the error: n8n 1.102 to 2.33 keep nothing else of what their
 * request function wraps. Only these texts say what happened, so where a TLS handshake fails otherwise
 * the outcome of a send is `unknown` there.
 */
export function causeFromText(messages: unknown): NetworkCause | undefined {
  const text = Array.isArray(messages) ? String(messages[0]) : '';
  const [, syscall, code] = /^(connect|getaddrinfo|read) (E[A-Z_]+)\b/.exec(text) ?? [];
  if (code !== undefined) return { code, syscall };
  return Object.entries(TEXTS).find(([start]) => text.startsWith(start))?.[1];
}

interface NetworkCause {
  code: string;
  syscall?: string;
}

/** How texts of axios, Node.js and OpenSSL begin, and what the errors have besides. */
const TEXTS: Record<string, NetworkCause> = {
  'timeout of ': { code: 'ECONNABORTED' },
  'socket hang up': { code: 'ECONNRESET' },
  'Client network socket disconnected before secure TLS': {
    code: 'ECONNRESET',
    syscall: 'connect',
  },
  'self-signed certificate in certificate chain': { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
  'self-signed certificate': { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  'unable to get local issuer certificate': { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' },
  'unable to verify the first certificate': { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
  'certificate has expired': { code: 'CERT_HAS_EXPIRED' },
  'certificate is not yet valid': { code: 'CERT_NOT_YET_VALID' },
  'Hostname/IP does not match': { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
};
