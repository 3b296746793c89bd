import { createServer } from 'node:net';

/** A free loopback port: the wanted one, or any when it is 0. Undefined when the wanted one is taken. */
export async function freePort(wanted = 0): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });
}
