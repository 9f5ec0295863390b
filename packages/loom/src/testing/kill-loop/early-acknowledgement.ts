import type { Store } from '@loom/kernel/store';

/** Plants a fault: a store that acknowledges writes it has only in memory, as servers do that write later. */
export function acknowledgeEarly(store: Store): Store {
  let before: Promise<unknown> = Promise.resolve();
  const waiting = new Map<string, number>();
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') {
        const append: Store['append'] = async (log, request) => {
          if (request.epoch === undefined || (waiting.get(log) ?? 0) === 0) {
            // The first of a burst tells the epoch.
            waiting.set(log, 1);
            // Behind the writes that were acknowledged before it and are still pending: the order is right, only the answers are not.
            await before;
            const result = await target.append(log, request);
            setTimeout(() => waiting.set(log, 0), 40);
            return result;
          }
          const { epoch } = request;
          before = before
            .then(() => new Promise((resolve) => setTimeout(resolve, 30)))
            .then(() => target.append(log, request));
          return { ok: true, epoch };
        };
        return append;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, target, given)
        : value;
    },
  });
}
