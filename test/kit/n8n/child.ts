import { fork } from 'node:child_process';
import type { Serializable } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { inspect } from 'node:util';
import { n8nBin, n8nFolder } from './paths';

/** A process that does not answer for this time is given up. */
const ANSWER_TIMEOUT_MS = 120_000;

/** A process that answers one question at a time. */
export interface Child<Question, Answer> {
  /** @throws Error when the process reports an error, ends, or does not answer within two minutes */
  ask: (question: Question) => Promise<Answer>;
  /** Ends the process and waits until it has ended. */
  stop: () => Promise<void>;
}

/**
 * Starts a process with the Node.js and the modules of the pinned n8n, and waits until it is ready.
 *
 * @param script path in `test/` of a script that calls `serve`
 * @param userFolder the n8n user folder of the process
 * @param argument what the script's `start` gets
 * @throws Error when the process cannot start
 */
export async function startChild<Question, Answer>(
  script: string,
  userFolder: string,
  argument: unknown = null,
): Promise<Child<Question, Answer>> {
  const child = fork(path.resolve(__dirname, '../..', script), [JSON.stringify(argument)], {
    execPath: path.join(n8nBin, 'node'),
    execArgv: [
      '--expose-gc',
      '--disable-warning=ExperimentalWarning',
      `--require=${path.join(__dirname, 'n8n-modules.cjs')}`,
      `--import=${createRequire(__filename).resolve('tsx')}`,
    ],
    env: {
      ...process.env,
      // For n8n-modules.cjs.
      E2E_N8N_FOLDER: n8nFolder,
      N8N_USER_FOLDER: userFolder,
      N8N_ENCRYPTION_KEY: 'bench',
      N8N_LOG_LEVEL: 'silent',
    },
  });
  const ended = once(child, 'exit');
  const next = async () => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const [message] = (await Promise.race([
      once(child, 'message', { signal }),
      ended.then(([code, killer]) => [{ error: `A process ended with ${killer ?? code}` }]),
    ])) as [{ answer: Answer; error?: string }];
    if (message.error !== undefined) throw new Error(message.error);
    return message.answer;
  };
  await next();
  return {
    async ask(question) {
      child.send(question as Serializable);
      return await next();
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Runs in the child process: answers questions until it is killed, or the parent process has ended.
 *
 * @param start gets the argument and returns the function that answers questions
 */
export async function serve<Argument, Question, Answer>(
  start: (argument: Argument) => Promise<(question: Question) => Promise<Answer>>,
): Promise<void> {
  const reply = (work: Promise<unknown>) =>
    work.then(
      (answer) => process.send?.({ answer }),
      (error: Error) => process.send?.({ error: inspect(error) }),
    );
  const ready = start(JSON.parse(process.argv[2] ?? 'null') as Argument);
  process.on('message', (question: Question) => void reply(ready.then((ask) => ask(question))));
  process.once('disconnect', () => process.exit());
  await reply(ready.then(() => undefined));
}
