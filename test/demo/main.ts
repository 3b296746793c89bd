/**
 * `npm run demo`: a real n8n with the packed package, the sandbox gateway, and templates that send, receive and
 * answer; with `--desk` the workflows of the desk instead. It runs until Ctrl-C. With `--once` it ends by
 * itself, with exit code 0 when every count is right, otherwise 1.
 */
import { parseArgs } from 'node:util';

import { playDesk } from './desk';
import { Progress } from './progress';
import { closeStage, openStage, type Played, type Stage } from './stage';
import { playTemplates } from './templates';

const progress = new Progress();
let interrupted = false;

async function main(): Promise<boolean> {
  const { once, desk, port } = readArguments();
  const stage = await openStage(port, desk, progress);
  const played = await (desk ? playDesk : playTemplates)(stage);
  if (!once) {
    printSteps(stage, played);
    await stage.n8n.ended;
    if (!interrupted) throw new Error(`n8n ended unexpectedly. Its log: ${stage.n8n.logFile}`);
  }
  return played.succeeded;
}

function readArguments() {
  const usage = 'Use: npm run demo -- [--desk] [--once] [--port <port of n8n>]';
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({ options: { once: flag, desk: flag, port: { type: 'string' } } });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
      throw new Error(`${values.port} is not a port.`);
    }
    return { once: values.once, desk: values.desk, port };
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${usage}`, { cause: error });
  }
}

function printSteps({ addresses, n8n, gateway }: Stage, { steps }: Played): void {
  const { baseUrl, apiKey, apiSecret } = gateway;
  const numbered = steps.map(
    (step, index) => `  ${index + 1}. ${step.replaceAll('\n', '\n     ')}`,
  );
  console.log(`
${addresses.join('\n')}
  sandbox account  ${baseUrl}   key ${apiKey}   secret ${apiSecret}
  log of n8n       ${n8n.logFile}

  Try it:
${numbered.join('\n')}

  Ctrl-C ends n8n and the sandbox.
`);
}

async function end(exitCode: number): Promise<never> {
  await closeStage();
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Ctrl-C may arrive twice: from the terminal, and from npm.
    if (interrupted) return;
    progress.stop();
    console.log('Stopping ...');
    interrupted = true;
    void end(signal === 'SIGINT' ? 130 : 143);
  });
}

main()
  .then((succeeded) => end(succeeded ? 0 : 1))
  .catch((error: unknown) => {
    // During an interrupt, errors are expected.
    if (interrupted) return;
    progress.stop();
    console.error(`\n${messageOf(error)}`);
    return end(1);
  });

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
