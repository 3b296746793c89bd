import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Waits for a promise. Rejects with the signal's reason as soon as the signal aborts.
 *
 * @param signal if undefined, only the promise itself ends the wait
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  promised: Promise<T>,
): Promise<T> {
  if (signal === undefined) return await promised;
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promised, aborted]);
  } finally {
    // The signal outlives this wait. A listener that stays on it would keep the answer in memory.
    signal.removeEventListener('abort', abort);
  }
}

/** Waits so many milliseconds at most. Rejects with `late` then. */
export async function within<T>(ms: number, promised: Promise<T>, late: Error): Promise<T> {
  const timeout = AbortSignal.timeout(ms);
  return await untilAborted(timeout, promised).catch((error: Error) =>
    Promise.reject(timeout.aborted ? late : error),
  );
}

/**
 * The same context for n8n's request function, but this signal ends a request too. n8n takes the
 * signal of the Stop button from the context, and ignores the one in the request.
 */
export function endedBy<T extends object>(context: T, signal: AbortSignal): T {
  const { getExecutionCancelSignal } = context as Partial<IExecuteFunctions>;
  const stop = getExecutionCancelSignal?.call(context);
  const either = stop ? AbortSignal.any([stop, signal]) : signal;
  return Object.create(context, { getExecutionCancelSignal: { value: () => either } }) as T;
}
