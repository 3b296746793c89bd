import { parseArgs } from 'node:util';
import { startGateway } from './gateway';
import { optionsOf, PERSONALITIES } from './personalities';

/**
 * `npm run sandbox [-- --port 4010 --personality prefix,few-recipients]`: runs a sandbox gateway until
 * Ctrl-C. An unknown name lists the personalities.
 */

const DEFAULT_PORT = 4010;

async function main(): Promise<void> {
  const { port, personalities } = read(process.argv.slice(2));
  const gateway = await startGateway({
    ...optionsOf(personalities),
    port,
    reportDelayMs: 1500,
    recordRequests: false,
  });
  console.log(
    [
      'SMS sandbox gateway',
      `  Base URL        ${gateway.baseUrl}`,
      `  API Key         ${gateway.apiKey}`,
      `  API Secret      ${gateway.apiSecret}`,
      `  Virtual phones  ${gateway.origin}/`,
      ...PERSONALITIES.filter(({ name }) => personalities.includes(name)).map(
        ({ name, says }) => `  Personality     ${name}: ${says}`,
      ),
      'Press Ctrl-C to stop.',
    ].join('\n'),
  );
  const stop = () => {
    void gateway.close();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function read(args: string[]): { port: number; personalities: string[] } {
  const { values } = parseArgs({
    args,
    options: { port: { type: 'string' }, personality: { type: 'string', multiple: true } },
  });
  const port = Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port ${values.port} is not a port number`);
  }
  return { port, personalities: (values.personality ?? []).flatMap((names) => names.split(',')) };
}

main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
  const inUse = `port ${error.port} is in use; choose another one with --port`;
  console.error(`The sandbox cannot start: ${error.code === 'EADDRINUSE' ? inUse : error.message}`);
  process.exitCode = 1;
});
