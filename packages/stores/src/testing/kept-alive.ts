/**
 * Waits for something that a store's timers bring, which do not keep the process alive by themselves. Ten minutes without it are a failure on any machine.
 */
export async function keptAlive<T>(awaited: Promise<T>, missing: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(missing)), 600_000);
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}
