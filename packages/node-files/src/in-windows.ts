/**
 * Runs work for each item, a few at a time, in order: enough to keep a disk busy, few enough to leave descriptors for others. Rejects with the first
 * failure, once those beside it are over.
 */
export async function inWindows<T>(items: Iterable<T>, work: (item: T) => Promise<void>, atOnce = 8): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const walk = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true && errors.length === 0; next = iterator.next()) {
      await work(next.value).catch((error: unknown) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
  if (errors.length > 0) throw errors[0];
}
