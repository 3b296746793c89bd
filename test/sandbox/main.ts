import { parseArgs } from 'node:util';
import { startGateway } from './gateway';

/** `npm run sandbox [-- --port 4010]`: runs a sandbox gateway until Ctrl-C. */

const DEFAULT_PORT = 4010;

async function main(): Promise<void> {
  const port = readPort(process.argv.slice(2));
  const gateway = await startGateway({ port, reportDelayMs: 1500, recordRequests: false });
  const stop = () => {
    void gateway.close();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  console.log(
    [
      'SMS sandbox gateway',
      `  Base URL        ${gateway.baseUrl}`,
      `  API Key         ${gateway.apiKey}`,
      `  API Secret      ${gateway.apiSecret}`,
      `  Virtual phones  ${gateway.origin}/`,
      'Press Ctrl-C to stop.',
    ].join('\n'),
  );
}

function readPort(args: string[]): number {
  const { values } = parseArgs({ args, options: { port: { type: 'string' } } });
  const port = Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port ${values.port} is not a port number`);
  }
  return port;
}

main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
  const inUse = `port ${error.port} is in use; choose another one with --port`;
  console.error(`The sandbox cannot start: ${error.code === 'EADDRINUSE' ? inUse : error.message}`);
  process.exitCode = 1;
});
