/** What PostgreSQL decides about messages. */
import type { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import type { Row as RowOf } from '../src/tables';
import { database, quoted, type Row } from './database';

export type Message = RowOf<'sms.outbox'>;

export interface World {
  /** The rows of sms.outbox, sms.rules and sms.opt_outs. */
  outbox?: object[];
  rules?: object[];
  optOuts?: object[];
  now: DateTime;
}

const textOf = (value: unknown) => `${quoted(JSON.stringify(value))}::json`;

const fill = ({ outbox = [], rules = [], optOuts = [], now }: World) =>
  database().fill(
    {
      'sms.outbox': outbox.map((row): Row => ({ ...row })),
      'sms.rules': rules.map((row): Row => ({ ...row })),
      'sms.opt_outs': optOuts.map((row): Row => ({ ...row })),
    },
    String(now.toISO()),
  );

/** Takes these messages, or without any what waited, and gives their rows. */
export function taken(messages: object[] | null, world: World): Message[] {
  fill(world);
  const list = messages ? textOf(messages) : 'NULL';
  return database().rows(
    `SELECT * FROM sms.message_take(${VERSION}, ${list}, '${world.now.zoneName}') ORDER BY id`,
  ) as unknown as Message[];
}

/** Settles messages of a table, and gives its rows. */
export function settled(outcomes: object[], world: World): Message[] {
  fill(world);
  database().run(
    `SELECT sms.message_settle(${VERSION}, ${textOf(outcomes)}, '${world.now.zoneName}')`,
  );
  return database().rows('SELECT * FROM sms.outbox ORDER BY id') as unknown as Message[];
}
