/** Files are worked on so many at a time: enough to keep a disk busy, few enough to leave descriptors for others. */
const atOnce = 8;

/** Does something with each item, a few at a time, in order. Rejects with the first failure, when those beside it are over. */
export async function inWindows<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
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
