/** The campaigns of a desk: lists are loaded, pages opened, buttons pressed and portions sent, as n8n does it. */
import { DateTime } from 'luxon';

import { fieldsOf as settingsOf } from '../../test/kit/workflows/expression';
import { runDesk, type Nodes, type Row, type World } from './workflow';

export const NOW = DateTime.fromISO('2026-12-01T10:00:00', {
  zone: 'Asia/Shanghai',
}) as DateTime<true>;

export const ago = (minutes: number): string => NOW.minus({ minutes }).toISO();

/** What the service says of each message of a request. */
export type Says = (messages: Row[]) => Row[];
const accepts: Says = (all) => all.map(() => ({ status: 'accepted', batch_id: 'b' }));

/** What a look of the send finds. */
export interface Look {
  says?: Says;
  set?: object;
  given?: World['given'];
}

export class Desk {
  now = NOW;
  /** What the service said last of the balance, the templates and the signatures, and for how many minutes it is silent. */
  said: Row[] = [{ what: 'balance', balance: 9_000 }];
  silent = 0;
  private runs = 100;

  constructor(readonly tables: Record<string, Row[]>) {}

  get campaign(): Row {
    return this.tables['sms.campaigns']?.[0] ?? {};
  }

  get recipients(): Row[] {
    return this.tables['sms.recipients'] ?? [];
  }

  async run(
    workflow: string,
    start: string,
    input: Row | Row[] = {},
    more: Partial<World> = {},
  ): Promise<Nodes> {
    const asked = this.now.minus({ minutes: this.silent }).toISO();
    this.tables['sms.service'] = this.said.map((row) => ({
      ...{ asked, answered: NOW.toISO(), ...row },
    }));
    const execution = String((this.runs += 1));
    const world = { tables: this.tables, now: this.now, execution, ...more };
    return await runDesk(workflow, start, input, world);
  }

  /** Loads a list, as a program posts it, a second later. Something may happen while its rows are made. */
  async load(recipients: object[], others: object = {}, given?: World['given']): Promise<Row> {
    this.now = this.now.plus({ seconds: 1 });
    const body = { campaign: 'Spring', recipients, ...others };
    const nodes = await this.run('campaign-load', 'Recipients arrive', { body }, { given });
    return nodes.Answer?.[0] ?? {};
  }

  /** The page of the campaign, or the list of all. */
  async page(query: Row = {}): Promise<string> {
    const asked = { query: { campaign: String(this.campaign.id), lang: 'en', ...query } };
    const { 'Show the page': page } = await this.run('campaign-page', 'Page is opened', asked);
    return String(page?.[0]?.page);
  }

  /** What the nodes behind a button put out for the fields of its form. */
  async press(body: object, headers: object = {}): Promise<Nodes> {
    return await this.run('campaign-buttons', 'Button is pressed', { body, headers });
  }

  /** The outbox is called with messages. */
  async outbox(start: Row[], says: Says): Promise<Row[]> {
    const given = { 'Send by template': says };
    return (await this.run('outbox', 'Messages', start, { given })).Results ?? [];
  }

  /** The send looks once. */
  async send({ says = accepts, set, given }: Look = {}): Promise<Nodes> {
    const world = {
      Settings: [{ ...settingsOf('campaign', 'Settings', {}), ...set }],
      'Read the balance': [{ balance: 9_000 }],
      'Send through the outbox': (start: Row[]) => this.outbox(start, says),
      ...given,
    };
    return await this.run('campaign', 'Every 10 seconds', {}, { given: world });
  }
}

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** What a page says: its first mark, its figures by their names, its notices, and the lines of its tables. */
export function readPage(html: string) {
  const texts = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, text = '']) => textOf(text));
  const values = texts(/<dd class="value[^>]*>(.*?)<\/dd>/gs);
  return {
    mark: texts(/<span class="mark \w+">(.*?)<\/span>/g)[0],
    figures: Object.fromEntries(texts(/<dt>(.*?)<\/dt>/g).map((name, at) => [name, values[at]])),
    notices: texts(/<p class="notice[^>]*>(.*?)<\/p>/gs),
    lines: texts(/<tr>(.*?)<\/tr>/gs),
  };
}

/** The fields of the form with a button, as a browser sends them. Undefined: there is no such button. */
export function formOf(html: string, action: string): Record<string, string> | undefined {
  const button = `name="action" value="${action}"`;
  const form = html.match(/<form.*?<\/form>/gs)?.find((text) => text.includes(button));
  if (!form) return undefined;
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return { ...Object.fromEntries([...inputs].map(([, name, value]) => [name, value])), action };
}

/** @throws if there is no such button */
export function fieldsOf(html: string, action: string): Record<string, string> {
  const fields = formOf(html, action);
  if (!fields) throw new Error(`There is no button "${action}".`);
  return fields;
}
