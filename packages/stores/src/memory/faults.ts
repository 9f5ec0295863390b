import type { AppendRequest, AppendResult, Store } from '@loom/kernel/store';
import { passOn, StoreError } from '@loom/kernel/store';

/**
 * The failure of one append: `conflict` claims that the writer was too late, without writing, and with the truth as tail; `fail-before`
 * rejects without having written; `fail-after` writes and then rejects, as if the answer had been lost.
 */
export type AppendFault = 'conflict' | 'fail-before' | 'fail-after';

/** One append, about to be made. */
export interface AppendCall {
  /** 1 for the first append of this wrapper. */
  number: number;
  log: string;
  request: AppendRequest;
}

/**
 * The same store, whose appends fail as planned. A plan may take its time, for instance to let another writer go first.
 * A `conflict` on a log that does not exist is not possible, since no other writer can have been faster: that append goes through.
 */
export function withFaults(
  store: Store,
  plan: (call: AppendCall) => AppendFault | undefined | Promise<AppendFault | undefined>,
): Store {
  let number = 0;
  return {
    ...passOn(store),
    async append(log, request): Promise<AppendResult> {
      number += 1;
      const fault = await plan({ number, log, request });
      switch (fault) {
        case undefined:
          return store.append(log, request);
        case 'conflict':
          return (await conflictAnswer(store, log, request)) ?? store.append(log, request);
        case 'fail-before':
          throw plannedFailure();
        case 'fail-after':
          await store.append(log, request);
          throw plannedFailure();
      }
    },
  };
}

async function conflictAnswer(store: Store, log: string, request: AppendRequest): Promise<AppendResult | undefined> {
  const contents = await store.read(log, 0);
  if (contents === undefined) return undefined;
  const seen = contents.epoch === request.epoch ? request.expectedSeq : 0;
  return { ok: false, conflict: { epoch: contents.epoch, tail: contents.records.filter(({ seq }) => seq > seen) } };
}

function plannedFailure(): StoreError {
  return new StoreError('store-failed', 'the append failed as planned', 'Read the log again: the outcome is unknown.');
}
