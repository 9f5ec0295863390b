import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { request } from '../../testing/writer.ts';

export interface AppendLoop {
  store: Store;
  name: string;
  logs: readonly string[];
  count: number;
  say: (
    line: { type: 'acknowledged'; log: string; seq: number; text: string } | { type: 'failed'; code: string },
  ) => void;
}

/** Appends to the logs in turn as a kernel does: a conflict is taken in, and after a failure the log is read again. */
export async function appendUntilDone({ store, name, logs, count, say }: AppendLoop): Promise<void> {
  const known = new Map<string, { epoch: string | undefined; seq: number }>();
  let attempts = 0;
  for (let done = 0; done < count;) {
    const log = logs[attempts % logs.length] ?? '';
    // Each attempt has a text of its own: of one that failed it is unknown whether it is there.
    const text = `${name} ${(attempts += 1)}`;
    try {
      const { epoch, seq } = known.get(log) ?? (await find(store, log));
      const result = await store.append(log, request(epoch, seq, [text]));
      if (result.ok) {
        known.set(log, { epoch: result.epoch, seq: seq + 1 });
        say({ type: 'acknowledged', log, seq: seq + 1, text });
        done += 1;
      } else {
        known.set(log, { epoch: result.conflict.epoch, seq: result.conflict.tail.at(-1)?.seq ?? seq });
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      known.delete(log);
      say({ type: 'failed', code: error.code });
    }
  }
}

async function find(store: Store, log: string): Promise<{ epoch: string | undefined; seq: number }> {
  const contents = await store.read(log, 0);
  return { epoch: contents?.epoch, seq: contents?.records.at(-1)?.seq ?? 0 };
}
