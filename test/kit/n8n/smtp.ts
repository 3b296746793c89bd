import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { SMTPServer } from 'smtp-server';

import { LOOPBACK } from './n8n';
import { n8nFolder } from './paths';

/** n8n's own reader of mails. It is there once n8n is installed. */
const mailParser = () =>
  createRequire(path.join(n8nFolder, 'package.json'))('mailparser') as {
    simpleParser(mail: NodeJS.ReadableStream): Promise<{ subject?: string; text?: string }>;
  };

/** A mail that the server took. */
export interface Mail {
  to: string[];
  subject: string;
  text: string;
}

/** A mail server on loopback. */
export interface SmtpServer {
  mails: Mail[];
  /** How many of the next mails the server refuses. */
  refuse: number;
  /** Whether it refuses a mail for good, and the mails that it has refused so. */
  refuses: (mail: Mail) => boolean;
  refused: Mail[];
  /** The data of n8n's credential. */
  credential: { host: string; port: number; secure: boolean; disableStartTls: boolean };
  close(): Promise<void>;
}

/** Starts a mail server that keeps what it gets, and tells of each mail. */
export async function startSmtp(
  onMail: (mail: Mail) => void = () => undefined,
): Promise<SmtpServer> {
  const { simpleParser } = mailParser();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1000,
    onMailFrom: (_address, _session, done) => {
      const isRefused = smtp.refuse > 0;
      if (isRefused) smtp.refuse -= 1;
      done(isRefused ? new Error('not now') : null);
    },
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      simpleParser(stream).then(({ subject = '', text = '' }) => {
        const mail = { to, subject, text };
        if (smtp.refuses(mail)) {
          smtp.refused.push(mail);
          done(Object.assign(new Error('not this one'), { responseCode: 554 }));
          return;
        }
        smtp.mails.push(mail);
        onMail(mail);
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.server.address() as AddressInfo;
  const smtp: SmtpServer = {
    mails: [],
    refuse: 0,
    refuses: () => false,
    refused: [],
    credential: { host: LOOPBACK, port, secure: false, disableStartTls: true },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return smtp;
}
