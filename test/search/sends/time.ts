/** The searches play in a time that runs a hundred times faster for the node. */
export const SPEED = 100;

/** Not that of an earlier history, which may not have ended. */
const { timeout } = AbortSignal;

/** Runs something while every `AbortSignal.timeout` is a hundred times shorter. */
export async function withShortTimeLimits<T>(run: () => Promise<T>): Promise<T> {
  const spy = jest
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((milliseconds) =>
      timeout.call(AbortSignal, Math.ceil(milliseconds / SPEED)),
    );
  try {
    return await run();
  } finally {
    spy.mockRestore();
  }
}
