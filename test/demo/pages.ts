import type { WorkflowFile } from '../e2e/lib/client';

/** The web pages of the workflows, by their addresses in n8n. */
const PAGES: Record<string, string> = {
  'webhook/sms-dashboard': 'dashboard',
  'webhook/sms-conversations': 'conversations',
  'webhook/sms-campaign': 'campaigns',
  'form/sms-campaign-form': 'new campaign',
  'webhook/sms-status': 'status',
  'form/sms-service-check': 'service check',
};

/** The login of the pages. */
export const PAGES_LOGIN = { user: 'demo', password: 'Demo-dashboard-1' };

interface Page {
  name: string;
  /** In n8n. */
  path: string;
}

/** The pages that a workflow serves when it is published. */
export function pagesOf({ nodes }: WorkflowFile): Page[] {
  const paths = nodes.flatMap(({ type, parameters, disabled }) => {
    const { path, httpMethod = 'GET', options } = parameters as Parameters;
    if (disabled) return [];
    if (type.endsWith('.formTrigger')) return [`form/${options?.path ?? path}`];
    const isPage = type.endsWith('.webhook') && [httpMethod].flat().includes('GET');
    return isPage ? [`webhook/${path}`] : [];
  });
  return paths.flatMap((path) => {
    const name = PAGES[path];
    return name === undefined ? [] : [{ name, path }];
  });
}

interface Parameters {
  path?: string;
  httpMethod?: string | string[];
  options?: { path?: string };
}
