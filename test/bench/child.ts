import { fork } from 'node:child_process';
import type { ChildProcess, Serializable } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { n8nBin, n8nFolder } from '../e2e/lib/paths';

/** A process that does not answer for this time is killed. */
const ANSWER_TIMEOUT_MS = 120_000;

/**
 * A child process with the Node.js and the modules of the pinned n8n. It answers one question at a
 * time.
 */
export class Child<Question, Answer> {
  private constructor(private readonly process: ChildProcess) {}

  /**
   * Starts a process and waits until it is ready.
   *
   * @param script path in `test/` of a script that calls `serve`
   * @param argument what the script's `start` gets
   * @param userFolder the n8n user folder of the process
   * @throws Error when the process cannot start
   */
  static async start<Question, Answer>(
    script: string,
    argument: unknown,
    userFolder: string,
  ): Promise<Child<Question, Answer>> {
    const child = fork(path.resolve(__dirname, '..', script), [JSON.stringify(argument)], {
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
    const started = new Child<Question, Answer>(child);
    await started.answer();
    return started;
  }

  /**
   * Asks a question and waits for the answer.
   *
   * @throws Error when the process reports an error, ends, or does not answer within two minutes
   */
  async ask<Kind extends Answer>(question: Question): Promise<Kind> {
    const killer = setTimeout(() => this.process.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
    try {
      this.process.send(question as Serializable);
      return (await this.answer()) as Kind;
    } finally {
      clearTimeout(killer);
    }
  }

  /** Ends the process and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.disconnect();
    await ended;
  }

  private async answer(): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const onExit = (code: number | null, signal: string | null) => {
        reject(new Error(`A process ended with ${signal ?? code}`));
      };
      this.process.once('exit', onExit);
      this.process.once('message', ({ answer, error }: { answer: Answer; error?: string }) => {
        this.process.off('exit', onExit);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      });
    });
  }
}

/**
 * Runs in the child process: answers questions until the parent process disconnects.
 *
 * @param start gets the argument and returns the function that answers questions
 */
export async function serve<Argument, Question, Answer>(
  start: (argument: Argument) => Promise<(question: Question) => Promise<Answer>>,
): Promise<void> {
  const reply = (work: Promise<unknown>) =>
    work.then(
      (answer) => process.send?.({ answer }),
      (error: Error) => process.send?.({ error: error.stack ?? error.message }),
    );
  const ready = start(JSON.parse(process.argv[2] ?? 'null') as Argument);
  process.on('message', (question: Question) => void reply(ready.then((ask) => ask(question))));
  process.once('disconnect', () => process.exit());
  await reply(ready.then(() => undefined));
}
