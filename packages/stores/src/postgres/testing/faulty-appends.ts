import { passOn } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';

/** Faults that a store might have, for a test that must find them. */
export const plantedFaults = ['acknowledges-early', 'tries-again-blindly', 'ignores-the-end'] as const;
export type PlantedFault = (typeof plantedFaults)[number];

/** A store with a fault. `inject` puts a record past the checks of the database. */
export function withFault(
  store: Store,
  fault: PlantedFault,
  inject: (log: string, text: string) => Promise<void>,
): Store {
  return {
    ...passOn(store),
    async append(log, request) {
      const { epoch, records } = request;
      const text = records[0]?.text ?? '';
      switch (fault) {
        case 'acknowledges-early':
          // One in five is forgotten, as by a commit that did not wait for the disk.
          if (epoch !== undefined && Number(/\d+$/u.exec(text)) % 5 === 4) return { ok: true, epoch };
          return store.append(log, request);
        case 'tries-again-blindly': {
          const result = await store.append(log, request);
          if (result.ok && Number(/\d+$/u.exec(text)) % 5 === 4) await inject(log, text);
          return result;
        }
        case 'ignores-the-end': {
          const result = await store.append(log, request);
          if (result.ok || epoch === undefined) return result;
          // A conflict is taken for a success: two writers have the same seq.
          return { ok: true, epoch };
        }
      }
    },
  };
}
