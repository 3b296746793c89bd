import { fork } from 'node:child_process';
import type { ChildProcess, Serializable } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { n8nBin } from '../e2e/lib/paths';

const PATIENCE_MS = 120_000;

/** A process on n8n's own Node.js, with n8n's own modules, which answers one question at a time. */
export class Child<Question, Answer> {
  private constructor(private readonly process: ChildProcess) {}

  /**
   * Resolves when the process is ready.
   *
   * @param script in `test/`
   * @param userFolder the n8n user folder that it gets
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
        N8N_USER_FOLDER: userFolder,
        N8N_ENCRYPTION_KEY: 'bench',
        N8N_LOG_LEVEL: 'silent',
      },
    });
    const started = new Child<Question, Answer>(child);
    await started.answer();
    return started;
  }

  /** @throws what the process says went wrong; one that is silent for too long is killed */
  async ask<Kind extends Answer>(question: Question): Promise<Kind> {
    const killer = setTimeout(() => this.process.kill('SIGKILL'), PATIENCE_MS);
    try {
      this.process.send(question as Serializable);
      return (await this.answer()) as Kind;
    } finally {
      clearTimeout(killer);
    }
  }

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

/** The other side: answers questions until the parent disconnects. */
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
