import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRolloutReader, emptySession } from '@loom/exchange/codex';
import type { RolloutReader } from '@loom/exchange/codex';
import { LineSplitter } from '@loom/exchange/foreign';
import type { ForeignItem } from '@loom/exchange/foreign';
import type { BranchSession } from '@loom/kernel';

/** The bytes that are read at once. */
const chunkSize = 256 * 1024;

/** The session file of a thread while Codex writes it: gives the items that have come since it was last asked. */
export class SessionFile {
  readonly path: string;
  readonly #reader: RolloutReader;
  readonly #splitter: LineSplitter;
  #offset: number;
  #file: FileHandle | undefined;
  #lastTurn: string | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  /** `from`: the place in bytes where the turn begins; what stands before it was heard before. */
  constructor(path: string, from: number) {
    this.path = path;
    this.#offset = from;
    this.#reader = createRolloutReader({ name: path });
    this.#splitter = new LineSplitter({ line: (text) => this.#line(text), tooLong: () => {} });
  }

  /** Opens it at its present end; at its beginning if it is not there yet. */
  static async atEnd(path: string): Promise<SessionFile> {
    const size = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    return new SessionFile(path, size);
  }

  /** The message that the model's next item would be a part of. */
  get speaking(): string | undefined {
    return this.#reader.speaking;
  }

  /** The last turn whose end is in the file. */
  get endedTurn(): string | undefined {
    return this.#lastTurn;
  }

  /** True once there is a file. */
  get isThere(): boolean {
    return this.#file !== undefined;
  }

  /** Reads what was written since, and returns its items. */
  read(): Promise<ForeignItem[]> {
    const items = this.#reading.then(() => this.#readOn());
    this.#reading = items.catch(() => {});
    return items;
  }

  /** Ends the reading; returns the items of what was still open. */
  async close(): Promise<ForeignItem[]> {
    await this.#reading;
    await this.#file?.close();
    this.#file = undefined;
    this.#reader.end();
    return this.#reader.take();
  }

  async #readOn(): Promise<ForeignItem[]> {
    this.#file ??= await open(this.path, 'r').catch(() => undefined);
    if (this.#file === undefined) return [];
    const bytes = Buffer.allocUnsafe(chunkSize);
    for (;;) {
      const { bytesRead } = await this.#file.read(bytes, 0, chunkSize, this.#offset);
      if (bytesRead === 0) return this.#reader.take();
      this.#offset += bytesRead;
      this.#splitter.push(bytes.subarray(0, bytesRead));
    }
  }

  #line(text: string): void {
    this.#reader.push(text);
    const turn = lastTurnIn(text);
    if (turn !== undefined) this.#lastTurn = turn;
  }
}

/** Returns the last turn whose end is in the lines of a session file. */
export function lastTurnIn(text: string): string | undefined {
  return [...text.matchAll(/"type":"(?:task_complete|turn_complete|turn_aborted)".*?"turn_id":"([^"]+)"/gu)].at(
    -1,
  )?.[1];
}

/** Returns the session file of a thread: beside another one, or in a folder of a day below Codex's own. */
export async function findSessionFile(home: string, thread: string, beside?: string): Promise<string | undefined> {
  const sessions = join(home, 'sessions');
  const near = beside === undefined ? [] : [{ folder: dirname(beside), recursive: false }];
  for (const { folder, recursive } of [...near, { folder: sessions, recursive: true }]) {
    const names = await readdir(folder, { recursive }).catch((): string[] => []);
    const found = names.find((name) => name.endsWith('.jsonl') && name.includes(`-${thread}`));
    if (found !== undefined) return join(folder, found);
  }
  return undefined;
}

/** Returns the folder that Codex keeps its sessions and settings in. */
export function homeOf(environment: Readonly<Record<string, string>>): string {
  return environment['CODEX_HOME'] ?? join(environment['HOME'] ?? '/', '.codex');
}

/** Writes a session where Codex looks for it. A session that is there already has gone on: the new one gets another id. */
export async function writeSession(
  home: string,
  session: BranchSession,
): Promise<{ id: string; path: string } | undefined> {
  for (const id of [session.id, randomUUID()]) {
    const path = join(home, session.path.replaceAll(session.id, id));
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'wx').catch(() => undefined);
    if (file === undefined) continue;
    try {
      for await (const line of session.lines()) await file.write(line.replaceAll(session.id, id));
    } finally {
      await file.close();
    }
    return { id, path };
  }
  return undefined;
}

/** Writes a session in which nothing is said yet, and returns its path. */
export async function beginSession(
  home: string,
  id: string,
  place: { directory: string; now: number },
): Promise<string> {
  const session = emptySession(id, new Date(place.now).toISOString(), place.directory);
  const path = join(home, session.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, session.text, { flag: 'wx' });
  return path;
}
