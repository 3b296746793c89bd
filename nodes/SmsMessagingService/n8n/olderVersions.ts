import type { IPollFunctions } from 'n8n-workflow';

/*
 * What older versions of n8n do differently, and since which version n8n does what the rest of the
 * package expects. `npm run matrix` runs the tests with older versions.
 */

/** How long n8n lets this poll run, in milliseconds. Before 2.38 there is no limit. */
export function pollBudgetMs(context: IPollFunctions): number {
  return context.getPollBudgetMs?.() ?? Infinity;
}

/** Whether n8n's second engine runs this workflow. Before 2.0 there is none. */
export function isSecondEngine(context: IPollFunctions): boolean {
  const settings: { engineType?: unknown } | undefined = (
    context as Partial<IPollFunctions>
  ).getWorkflowSettings?.();
  return settings?.engineType === 'v2';
}

/**
 * Why a request failed, from the text of the error: n8n 1.102 to 2.33 keep only the text of an error in
 * their request function. If a TLS handshake fails with a text that is not in the list, the outcome of a
 * send is `unknown` in those versions.
 */
export function causeFromText(messages: unknown): NetworkCause | undefined {
  const text = Array.isArray(messages) ? String(messages[0]) : '';
  const [, syscall, code] = /^(connect|getaddrinfo|read|write) (E[A-Z_]+)\b/.exec(text) ?? [];
  if (code !== undefined) return { code, syscall, message: text };
  return Object.entries(TEXTS).find(([start]) => text.startsWith(start))?.[1];
}

interface NetworkCause {
  code: string;
  syscall?: string;
  message?: string;
}

/** How the texts of axios, Node.js and OpenSSL begin, and the properties of those errors. */
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
