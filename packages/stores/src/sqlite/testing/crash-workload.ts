import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { LogHead, LogRecord, ProjectionPart, Store } from '@loom/kernel/store';
import { seededRandom } from '@loom/kernel/testing';
import { request } from '../../testing/writer.ts';
import { unpackText } from '../../packed-text.ts';
import { Tables } from '../tables/tables.ts';
import { assembleStore } from './assembled-store.ts';
import type { DiskImage } from './crash-images.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A moment of a store's life: all that was acknowledged until then, the contents of the disk, and how much of them is synced. */
export interface Moment {
  /** The acknowledged contents, as `describeDatabase` writes them. */
  acknowledged: string;
  image: DiskImage;
  /** The last image that no power cut can take back. */
  synced: DiskImage;
}

/** Lets a store live: several works in each commit, and a checkpoint now and then. A mistake may be planted in its connections. */
export async function* liveMoments(
  t: TestContext,
  seed: number,
  plant: (database: DatabaseSync) => DatabaseSync,
): AsyncGenerator<Moment> {
  const { path } = temporaryDirectory(t);
  const random = seededRandom(seed);
  const takeImage = (): DiskImage => ({
    database: readFileSync(join(path, 'loom.db')),
    wal: readFileSync(join(path, 'loom.db-wal')),
  });
  let synchronous = 0;
  const store = assembleStore(t, path, {
    prepare(database) {
      database.exec('PRAGMA wal_autocheckpoint = 12');
      const planted = plant(database);
      synchronous = Number(database.prepare('PRAGMA synchronous').get()?.['synchronous']);
      return planted;
    },
  });
  const model = new Model(store, random);
  await model.step();
  let synced = takeImage();
  for (let step = 0; step < steps; step += 1) {
    await model.step();
    const image = takeImage();
    // FULL syncs with every commit, less than that only when pages are about to be moved to the database.
    if (synchronous >= 2 || !image.database.equals(synced.database)) synced = image;
    yield { acknowledged: model.describe(), image, synced };
  }
  await store.close();
}

const steps = 20;

/** Describes the contents of a database as text. */
export function describeDatabase(database: DatabaseSync): string {
  const tables = new Tables(database);
  const logs = tables
    .logNames()
    .sort()
    .map((name) => {
      const contents = tables.read(name, 0, 0xffff_ffff, -1);
      const projection = tables.readProjection(name, 'state', { prefix: '', after: undefined, rows: -1 });
      const parts = projection?.parts.map(({ key, value }) => ({ key, text: unpackText(value) }));
      return describeLog(name, contents?.epoch, contents?.records, projection?.seq, parts);
    });
  const heads = tables.heads({ order: 'name', limit: 10 }).map(({ log, head }) => describeHead(log, head));
  const clientId = database.prepare('SELECT last FROM client_ids').get()?.['last'];
  const leases = database.prepare('SELECT key FROM leases ORDER BY key').all();
  return [...logs, ...heads, `client ${String(clientId)}`, ...leases.map(({ key }) => `lease ${String(key)}`)].join(
    '\n',
  );
}

function describeLog(
  name: string,
  epoch: string | undefined,
  records: readonly LogRecord[] = [],
  seq: number | undefined,
  parts: readonly ProjectionPart[] = [],
): string {
  const texts = records.map((record) => `${record.seq}=${record.text}`);
  return `${name} ${epoch}: ${texts.join()}; ${seq}: ${parts.map(({ key, text }) => `${key}=${text}`).join()}`;
}

function describeHead(log: string, head: LogHead | undefined): string {
  return `head of ${log}: ${head?.time} ${head?.text}`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

interface ModelLog {
  epoch: string;
  records: LogRecord[];
  head: LogHead | undefined;
  projection: { seq: number; parts: Map<string, string> } | undefined;
}

/** The acknowledged writes. */
class Model {
  readonly #store: Store;
  readonly #random: () => number;
  readonly #logs = new Map<string, ModelLog>();
  readonly #leases: string[] = [];
  #clientId = 1;
  #count = 0;

  constructor(store: Store, random: () => number) {
    this.#store = store;
    this.#random = random;
  }

  describe(): string {
    const logs = [...this.#logs].sort(byName).map(([name, { epoch, records, projection }]) => {
      const parts = [...(projection?.parts ?? [])].sort(byName).map(([key, text]) => ({ key, text }));
      return describeLog(name, epoch, records, projection?.seq, parts);
    });
    const heads = [...this.#logs].sort(byName).map(([name, { head }]) => describeHead(name, head));
    return [...logs, ...heads, `client ${this.#clientId}`, ...this.#leases.sort().map((key) => `lease ${key}`)].join(
      '\n',
    );
  }

  /** One to six works on different things, in one commit. */
  async step(): Promise<void> {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(Math.floor(this.#random() * 6));
    const works = names.map((name) => () => this.#work(name));
    if (this.#random() < 0.2) works.push(() => this.#coordinate());
    await Promise.all(works.map((work) => work()));
  }

  async #work(name: string): Promise<void> {
    const log = this.#logs.get(name);
    const choice = this.#random();
    if (log !== undefined && choice < 0.15) return this.#fold(name, log);
    if (log !== undefined && choice < 0.35) return this.#project(name, log);
    const last = log?.records.at(-1)?.seq ?? 0;
    const texts = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => this.#newText());
    const records = request(log?.epoch, last, texts).records;
    const head = this.#newHead();
    const asked = { epoch: log?.epoch, expectedSeq: last, records, ...(head === undefined ? {} : { head }) };
    const result = await this.#store.append(name, asked);
    if (!result.ok) throw new Error('no other process writes to this log');
    const kept = log ?? { epoch: result.epoch, records: [], head: undefined, projection: undefined };
    this.#logs.set(name, kept);
    kept.records.push(...records);
    if (head !== 'same') kept.head = head;
  }

  async #fold(name: string, { epoch, records }: ModelLog): Promise<void> {
    const seq = records.at(-1)?.seq ?? 0;
    const record = { seq, text: this.#newText() };
    if (!(await this.#store.fold(name, { epoch, first: 1, record }))) throw new Error('no other process folds');
    records.splice(0, records.length, record);
  }

  async #project(name: string, log: ModelLog): Promise<void> {
    const seq = log.records.at(-1)?.seq ?? 0;
    const put = [{ key: `${this.#count % 3}`, text: this.#newText() }];
    const request = { epoch: log.epoch, seq, base: log.projection?.seq, put, drop: [] };
    if (!(await this.#store.writeProjection(name, 'state', request))) throw new Error('no other process projects');
    log.projection ??= { seq, parts: new Map() };
    log.projection.seq = seq;
    for (const { key, text } of put) log.projection.parts.set(key, text);
  }

  async #coordinate(): Promise<void> {
    const key = `${(this.#count += 1)}`;
    const [id] = await Promise.all([this.#store.nextClientId(), this.#store.lease(key, 'holder', 1e12)]);
    this.#clientId = id;
    this.#leases.push(key);
  }

  /** Returns another head, mostly; sometimes it stays, or goes. */
  #newHead(): LogHead | 'same' | undefined {
    const choice = this.#random();
    if (choice < 0.4) return choice < 0.2 ? 'same' : undefined;
    return { time: this.#count, text: this.#newText() };
  }

  #newText(): string {
    this.#count += 1;
    return `${this.#count}${'.'.repeat(Math.floor(this.#random() ** 4 * 3000))}`;
  }
}
