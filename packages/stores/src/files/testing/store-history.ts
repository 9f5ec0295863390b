import assert from 'node:assert/strict';
import type { AppendRequest, AppendResult, Store } from '@loom/kernel/store';
import { request } from '../../testing/writer.ts';
import { SpoolHistory } from './spool-history.ts';

/** An append that was tried: its texts carry marks (`#17#`) that nothing else has. */
interface Attempt {
  first: number;
  texts: string[];
  head: AppendRequest['head'];
  acknowledged: boolean;
}

/**
 * The requests to a store and its answers, and therefore its contents after a crash: every acknowledged append, every append whole or not
 * at all, everything that was read, and nothing else.
 */
export class StoreHistory {
  readonly #attempts = new Map<string, Attempt[]>();
  /** The attempts, by the mark of their first text. */
  readonly #beginnings = new Map<string, Attempt>();
  readonly #seen = new Map<string, string[]>();
  readonly #epochs = new Map<string, string>();
  readonly #clientIds = new Set<number>();
  readonly #leases = new Set<string>();
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #spools: SpoolHistory;
  readonly #isCrashed: () => boolean;
  #marks = 0;

  /** The answers of a process that has crashed are not heard. */
  constructor(isCrashed: () => boolean) {
    this.#isCrashed = isCrashed;
    this.#spools = new SpoolHistory(isCrashed, (id, bytes) => this.#blobs.set(id, bytes));
  }

  /** A text that was never used before; some are as the kernel's codec makes them. */
  newText(padding: number): string {
    this.#marks += 1;
    const mark = `#${this.#marks}#${'x'.repeat(padding)}`;
    return this.#marks % 2 === 0 ? `0badc0de {"mark":"${mark}"}` : mark;
  }

  async append(store: Store, log: string, texts: string[], known: { epoch: string; seq: number } | undefined) {
    const head = [{ time: this.#marks, text: texts[0] ?? '' }, 'same' as const, undefined][this.#marks % 3];
    const attempt: Attempt = { first: (known?.seq ?? 0) + 1, texts, head, acknowledged: false };
    this.#beginnings.set(marksOf(texts[0] ?? '')[0] ?? '', attempt);
    this.#attempts.set(log, [...(this.#attempts.get(log) ?? []), attempt]);
    const asked = request(known?.epoch, attempt.first - 1, texts);
    const result: AppendResult = await store.append(log, head === undefined ? asked : { ...asked, head });
    if (!result.ok || this.#isCrashed()) return;
    attempt.acknowledged = true;
    this.#keepEpoch(log, result.epoch);
  }

  /** Reads a log and compares it with all that is known. Returns its end. */
  async read(store: Store, log: string): Promise<{ epoch: string; seq: number; ends: number[] } | undefined> {
    const seen = this.#seen.get(log) ?? [];
    const missing = new Set(this.#attempts.get(log)?.filter(({ acknowledged }) => acknowledged));
    const contents = await store.read(log, 0);
    const marks = contents?.records.flatMap(({ text }) => marksOf(text)) ?? [];
    assert.equal(marks.slice(0, seen.length).join(''), seen.join(''), `${log} has lost what was read before`);
    if (marks.length > (this.#seen.get(log)?.length ?? 0)) this.#seen.set(log, marks);
    for (let position = 0; position < marks.length;) {
      const attempt = this.#beginnings.get(marks[position] ?? '');
      assert.ok(attempt !== undefined, `${log} has a record that was never appended`);
      const whole = attempt.texts.flatMap(marksOf);
      assert.equal(attempt.first, position + 1, `${log} has a record at another seq`);
      assert.equal(
        marks.slice(position, position + whole.length).join(''),
        whole.join(''),
        `${log} has a part of an append`,
      );
      missing.delete(attempt);
      position += whole.length;
    }
    assert.equal(missing.size, 0, `${log} has lost an acknowledged append`);
    if (contents === undefined) return undefined;
    const texts = new Set(this.#attempts.get(log)?.flatMap((attempt) => attempt.texts));
    for (const { text } of contents.records) {
      assert.ok(text.startsWith(foldedStart) || texts.has(text), `${log} has a text that was never appended`);
    }
    this.#keepEpoch(log, contents.epoch);
    const ends = contents.records.map(({ seq }) => seq);
    assert.equal(ends.at(-1) ?? 0, marks.length, `${log} ends at another seq`);
    return { epoch: contents.epoch, seq: marks.length, ends };
  }

  /** Folds everything from one seq to another, both the ends of records. */
  async fold(store: Store, log: string, { epoch, after, seq }: { epoch: string; after: number; seq: number }) {
    const text = `${foldedStart}"${(this.#seen.get(log) ?? []).slice(after, seq).join('')}"}`;
    await store.fold(log, { epoch, first: after + 1, record: { seq, text } });
  }

  async takeClientId(store: Store): Promise<void> {
    const id = await store.nextClientId();
    assert.ok(!this.#clientIds.has(id), `the client id ${id} was given twice`);
    this.#clientIds.add(id);
  }

  async takeLease(store: Store): Promise<void> {
    const key = `lease ${(this.#marks += 1)}`;
    assert.equal(await store.lease(key, 'holder', 1e9), true);
    this.#leases.add(key);
  }

  async putBlob(store: Store): Promise<void> {
    const bytes = new TextEncoder().encode(this.newText(600));
    this.#blobs.set(await store.putBlob(bytes), bytes);
  }

  async writeBlob(store: Store): Promise<void> {
    const bytes = new TextEncoder().encode(this.newText(600));
    const writer = await store.createBlob();
    await Promise.all([writer.write(bytes.subarray(0, 5)), writer.write(bytes.subarray(5))]);
    const { id } = await writer.finish();
    if (!this.#isCrashed()) this.#blobs.set(id, bytes);
  }

  /** Sweeps blobs that were put long ago and never acknowledged. Some turn out to be needed at the last moment. */
  async sweepBlobs(store: Store): Promise<void> {
    const seen = new Set<string>();
    await store.sweepBlobs({
      unusedFor: 20,
      isCited: async (id) => {
        const isLate = this.#marks % 2 === 0 && !seen.has(id);
        seen.add(id);
        return !isLate && this.#blobs.has(id);
      },
    });
  }

  growSpool(store: Store, name: string, chance: number): Promise<void> {
    return this.#spools.grow(store, name, this.newText(600), chance);
  }

  /** Asserts that everything acknowledged or seen is there. */
  async check(store: Store, logs: readonly string[]): Promise<void> {
    for (const log of logs) await this.read(store, log);
    await this.#spools.check(store);
    for (const { log, head } of await store.heads({ order: 'newest', limit: 100 })) {
      if (head !== undefined) assert.deepEqual(head, this.#headOf(log), `${log} has the head of another moment`);
    }
    for (const log of await store.logs()) assert.ok(logs.includes(log), `${log} is a log that was never begun`);
    await this.takeClientId(store);
    for (const key of this.#leases) assert.equal(await store.lease(key, 'thief', 1), false, `${key} was lost`);
    for (const [id, bytes] of this.#blobs) assert.deepEqual(await store.getBlob(id), bytes, `${id} was lost`);
  }

  /** The head that the appends which are in a log have left. */
  #headOf(log: string): AppendRequest['head'] {
    let last: AppendRequest['head'];
    for (const mark of this.#seen.get(log) ?? []) {
      const attempt = this.#beginnings.get(mark);
      if (attempt !== undefined && attempt.head !== 'same') last = attempt.head;
    }
    return last;
  }

  #keepEpoch(log: string, epoch: string): void {
    assert.equal(this.#epochs.get(log) ?? epoch, epoch, `${log} has changed its epoch`);
    this.#epochs.set(log, epoch);
  }
}

const foldedStart = '0badc0de {"folded":';

function marksOf(text: string): string[] {
  return text.match(/#\d+#/gu) ?? [];
}
