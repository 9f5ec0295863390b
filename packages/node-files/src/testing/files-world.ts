import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import type { Message } from '@loom/blocks';
import { nodeJson } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { rest, seededRandom, VirtualClock } from '@loom/kernel/testing';
import type { NodeState, Outcome, RootState } from '@loom/kernel';
import type { RootOp } from '@loom/kernel/logs';
import { failedWith, makeDirectory } from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { createMemoryStore } from '@loom/stores/memory';
import type { MemoryStore } from '@loom/stores/memory';
import { SimulatedFiles } from '@loom/stores/testing';
import type { SimulationPlan } from '@loom/stores/testing';
import { z } from 'zod';
import { sumOf } from '../file-ledger.ts';
import type { FilesReport } from '../files-report.ts';
import { listFolder } from '../node-files-port.ts';
import type { FileStamp, NodeFilesPort } from '../node-files-port.ts';
import { NodeFiles } from '../node-files.ts';
import { RootCounters, rootJson } from '../writing/root-json-content.ts';

const directory = '/data';

export interface FilesWorldOptions {
  seed?: number;
  plan?: SimulationPlan;
  /** True if nothing is watched, and nothing examined before it is requested. */
  isUnwatched?: boolean;
  /** A fault to plant: nothing is reported. */
  isSilent?: boolean;
  /** A fault to plant into the port of node files. */
  plant?: (files: NodeFilesPort) => NodeFilesPort;
}

/** A forest with node files on a simulated disk, whose processes can be cut off and started again. */
export class FilesWorld {
  readonly disk: SimulatedFiles;
  readonly reports: FilesReport[] = [];
  readonly #options: FilesWorldOptions;
  readonly #memory: MemoryStore;
  /** Another program on the same machine. */
  readonly #others: FilesPort;
  #requests = 0;
  #reads: ((log: string, afterSeq: number) => void) | undefined;
  #process: Process | undefined;

  private constructor(options: FilesWorldOptions) {
    this.#options = options;
    this.disk = new SimulatedFiles(seededRandom(options.seed ?? 1), options.plan ?? {});
    this.#memory = createMemoryStore({ now: () => Date.UTC(2026, 0, 1) });
    this.#others = uncounted(this.disk);
  }

  static async create(options: FilesWorldOptions = {}): Promise<FilesWorld> {
    const world = new FilesWorld(options);
    await world.boot();
    return world;
  }

  get process(): Process {
    return this.#process ?? assert.fail('no process is running');
  }

  get forest(): Forest {
    return this.process.forest;
  }

  get files(): NodeFiles {
    return this.process.files;
  }

  get store(): MemoryStore {
    return this.process.store;
  }

  /** Starts a process; a running one is cut off. */
  async boot(): Promise<void> {
    const time = this.#process?.clock.now();
    this.#process?.clock.stop();
    const clock = new VirtualClock(time);
    const store = watched(this.#memory.share(), (log, afterSeq) => this.#reads?.(log, afterSeq));
    const ids = { next: () => String((this.#requests += 1)).padStart(8, '0') };
    const forest = new Forest({ store, clock, ids });
    const changed = new Set<(path: string) => void>();
    const plant = this.#options.plant ?? ((files) => files);
    const files = await NodeFiles.open({
      directory,
      forest,
      store,
      clock,
      files: plant(withStamps(this.disk.boot())),
      watch: {
        async start(_directory, told, signal) {
          const listener = (path: string): void => told.changed(path);
          changed.add(listener);
          signal.addEventListener('abort', () => changed.delete(listener));
        },
      },
      report: (report) => {
        if (this.#options.isSilent !== true) this.reports.push(report);
      },
    });
    this.#process = { clock, store, forest, files, changed };
    if (this.#options.isUnwatched !== true) await files.start();
  }

  /** Ends the process in good order. */
  async shutDown(): Promise<void> {
    const { clock, files, forest, store } = this.process;
    await files.close();
    forest.close();
    await store.close();
    clock.stop();
  }

  /** Lets time pass until everything is written. */
  settle(milliseconds = 3000): Promise<void> {
    return this.process.clock.advanceAndRest(milliseconds);
  }

  async createRoot(systemPrompt = 'Be brief.'): Promise<string> {
    return expect(await this.forest.createRoot(this.request(), { systemPrompt })).root;
  }

  /** Adds a message below a node; returns the new node. */
  async say(root: string, parent: string, text: string, role: 'user' | 'assistant' = 'user'): Promise<string> {
    const message: Message = { role, content: [{ type: 'text', text }] };
    const { nodes } = expect(await this.forest.append(this.request(), root, { parent, messages: [message] }));
    return nodes.at(-1) ?? parent;
  }

  change(root: string, decide: (state: RootState) => RootOp[], agent = 'anna'): Promise<Outcome<unknown>> {
    return this.forest.change({ ...this.request(), agent }, root, z.unknown(), (state) => ({
      ok: true,
      ops: decide(state),
      value: null,
    }));
  }

  /** Adds a node with one unfinished text; returns its id and the functions to continue it. */
  async begin(
    root: string,
    parent: string,
  ): Promise<{ node: string; write: (text: string) => Promise<void>; end: () => Promise<void> }> {
    let [node, block] = ['', ''];
    await this.change(root, (state) => {
      [node, block] = [state.newNodeId(), state.newBlockId('model')];
      const blocks = [{ type: 'text' as const, text: '', block_id: block, status: 'running' as const }];
      return [{ type: 'node-added', node: { id: node, parent, role: 'assistant', blocks, source: { type: 'user' } } }];
    });
    return {
      node,
      write: async (text) => {
        await this.change(root, () => [{ type: 'text-appended', block, field: 'text', text, unit: 'turn' }], 'model');
      },
      end: async () => void (await this.change(root, () => [{ type: 'status', block, status: 'done' }], 'model')),
    };
  }

  /** Types into a text at an offset, as a user. */
  splice(root: string, block: string, at: number, insert: string): Promise<Outcome<unknown>> {
    return this.forest.change(this.request(), root, z.unknown(), (state, editor) => {
      const tools = editor();
      const { splices, update } = tools.open(state, block).planEdit(tools.client, [{ at, delete: 0, insert }]);
      const unit = `edit-${state.seq + 1}`;
      return { ok: true, ops: [{ type: 'text', block, splices, unit, client: tools.client, update }], value: null };
    });
  }

  request(): { agent: string; id: string } {
    this.#requests += 1;
    return { agent: 'anna', id: `request-${this.#requests}` };
  }

  async state(root: string): Promise<RootState> {
    return this.forest.log(root).state();
  }

  async node(root: string, id: string): Promise<NodeState> {
    return (await this.state(root)).nodes.get(id) ?? assert.fail(`there is no node ${id}`);
  }

  async text(root: string, id: string): Promise<string> {
    return (await this.node(root, id)).blocks.map((block) => ('text' in block ? block.text : '')).join('|');
  }

  /** Returns the text of a file, or `undefined` if it does not exist. */
  async read(path: string): Promise<string | undefined> {
    const bytes = await this.readBytes(path);
    return bytes && new TextDecoder().decode(bytes);
  }

  async readBytes(path: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#others.read(join(directory, path));
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /** Another program saves a file: in place, or by renaming another one over it. */
  async save(path: string, content: string | Uint8Array, how: 'in-place' | 'rename' = 'in-place'): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const target = join(directory, path);
    const place = how === 'rename' ? `${target}~` : target;
    const isThere = (await this.read(path)) !== undefined;
    if (!isThere) await makeDirectory(this.#others, dirname(target));
    const file = await this.#others.open(place, isThere && how === 'in-place' ? 'change' : 'create');
    await file.truncate(0);
    await file.write(bytes, 0);
    await file.sync();
    await file.close();
    if (how === 'rename') await this.#others.rename(place, target);
    await this.#others.syncDirectory(dirname(target));
    this.#tell(path);
  }

  async remove(path: string): Promise<void> {
    await this.#others.remove(join(directory, path));
    this.#tell(path);
  }

  list(path: string): Promise<string[]> {
    return this.#others.list(join(directory, path)).catch(() => []);
  }

  /** Edits a node file as a user would: a part of it is replaced. */
  async edit(path: string, from: string, to: string, how: 'in-place' | 'rename' = 'in-place'): Promise<void> {
    const before = (await this.read(path)) ?? assert.fail(`there is no file ${path}`);
    assert.ok(before.includes(from), `${path} has no ${from}`);
    await this.save(path, before.replace(from, to), how);
  }

  /** Calls back for every read of a log from the next start on. */
  watchReads(listener: (log: string, afterSeq: number) => void): void {
    this.#reads = listener;
  }

  /** Removes the ledgers. */
  async forgetLedgers(): Promise<void> {
    for (const log of await this.#memory.logs()) {
      const { epoch = '' } = (await this.#memory.read(log, 0)) ?? {};
      await this.#memory.writeProjection(log, 'files', { epoch, seq: 0, base: undefined, put: [], drop: [] });
    }
  }

  /** Changes some bytes of every page of the ledgers. */
  async damageLedgers(): Promise<void> {
    for (const log of await this.#memory.logs()) {
      const projection = await this.#memory.readProjection(log, 'files');
      if (projection === undefined) continue;
      const { epoch, seq, parts } = projection;
      const put = parts.map(({ key, text }) => ({ key, text: text.replace(/[0-9a-f]{4}"/gu, '0bad"') }));
      assert.notDeepEqual(put, parts);
      await this.#memory.writeProjection(log, 'files', { epoch, seq, base: undefined, put, drop: [] });
    }
  }

  /** Removes everything on the disk, and the ledgers with it. */
  async forgetDisk(): Promise<void> {
    const empty = async (path: string): Promise<void> => {
      for (const name of await this.#others.list(path)) {
        const inner = join(path, name);
        await this.#others.remove(inner).catch(async () => {
          await empty(inner);
          await this.#others.removeDirectory(inner);
        });
      }
    };
    await empty(directory);
    await this.forgetLedgers();
  }

  /** Lists a root with an id that the caller chooses. */
  async listRoot(root: string): Promise<void> {
    const ids = { next: () => root.replace(/^root-/u, '') };
    const forest = new Forest({ store: this.store, clock: this.process.clock, ids });
    const created = expect(await forest.createRoot(this.request(), {})).root;
    assert.equal(created, root);
    await rest();
    forest.close();
  }

  reported(type: FilesReport['type']): FilesReport[] {
    return this.reports.filter((report) => report.type === type);
  }

  /** Asserts that every file of every root matches the log exactly. */
  async assertWritten(): Promise<void> {
    for (const root of await this.forest.roots()) {
      const state = await this.state(root);
      for (const id of state.nodes.keys()) {
        const file = await this.read(`${root}/nodes/${id.slice(root.length + 1)}.json`);
        assert.equal(
          file,
          JSON.stringify(nodeJson(state, id), undefined, 2),
          `the file of ${id} is not what the log says`,
        );
      }
      const described = await this.read(`${root}/root.json`);
      const { seq: _, ...written } = z.record(z.string(), z.unknown()).parse(JSON.parse(described ?? '{}'));
      const { seq: _seq, ...expected } = rootJson(state, RootCounters.of(state));
      assert.deepEqual(written, expected, `${root}/root.json is not what the log says`);
    }
    const list = z.array(z.looseObject({ id: z.string() })).parse(JSON.parse((await this.read('roots.json')) ?? '[]'));
    assert.deepEqual(
      list.map(({ id }) => id),
      await this.forest.roots(),
      'roots.json does not list the roots',
    );
  }

  #tell(path: string): void {
    for (const changed of this.process.changed) changed(path);
  }
}

interface Process {
  clock: VirtualClock;
  store: MemoryStore;
  forest: Forest;
  files: NodeFiles;
  changed: Set<(path: string) => void>;
}

export function expect<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) assert.fail(JSON.stringify(outcome.refusal));
  return outcome.value;
}

/** A simulated file has no time; its content stands for it. */
function withStamps(files: FilesPort): NodeFilesPort {
  const stamp: NodeFilesPort['stamp'] = async (path) => {
    try {
      const bytes = await files.read(path);
      return { size: bytes.length, mtime: Number.parseInt(sumOf(bytes).slice(0, 10), 16), kind: 'file' };
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return undefined;
      if (failedWith(error, 'EISDIR')) return { size: 0, mtime: 0, kind: 'folder' };
      throw error;
    }
  };
  return {
    ...files,
    stamp,
    async stampAll(folder) {
      const stamps = new Map<string, FileStamp>();
      for (const name of await listFolder(files, folder)) {
        const found = await stamp(join(folder, name));
        if (found !== undefined) stamps.set(name, found);
      }
      return stamps;
    },
  };
}

/** Calls back for every call of one kind on a port. */
export function countCalls(
  kind: 'rename' | 'syncDirectory',
  called: (path: string) => void,
): (files: NodeFilesPort) => NodeFilesPort {
  return (files) => ({
    ...files,
    rename: (from, to) => {
      if (kind === 'rename') called(to);
      return files.rename(from, to);
    },
    syncDirectory: (path) => {
      if (kind === 'syncDirectory') called(path);
      return files.syncDirectory(path);
    },
  });
}

function watched(store: MemoryStore, read: (log: string, afterSeq: number) => void): MemoryStore {
  const original = store.read.bind(store);
  store.read = (log, afterSeq, throughSeq) => {
    read(log, afterSeq);
    return original(log, afterSeq, throughSeq);
  };
  return store;
}

/** The calls of the other program, which no plan counts. */
function uncounted(disk: SimulatedFiles): FilesPort {
  const files = disk.boot();
  const aside = async <T>(call: () => Promise<T>): Promise<T> => {
    const { calls, full } = disk;
    [disk.calls, disk.full] = [Number.NEGATIVE_INFINITY, false];
    try {
      return await call();
    } finally {
      [disk.calls, disk.full] = [calls, full];
    }
  };
  return {
    list: (path) => aside(() => files.list(path)),
    makeDirectory: (path) => aside(() => files.makeDirectory(path)),
    removeDirectory: (path) => aside(() => files.removeDirectory(path)),
    syncDirectory: (path) => aside(() => files.syncDirectory(path)),
    read: (path, from, to) => aside(() => files.read(path, from, to)),
    rename: (from, to) => aside(() => files.rename(from, to)),
    remove: (path) => aside(() => files.remove(path)),
    facts: (path) => aside(() => files.facts(path)),
    touch: (path, time) => aside(() => files.touch(path, time)),
    open: (path, how) =>
      aside(async () => {
        const file = await files.open(path, how);
        return {
          write: (bytes, position) => aside(() => file.write(bytes, position)),
          truncate: (length) => aside(() => file.truncate(length)),
          sync: () => aside(() => file.sync()),
          close: () => aside(() => file.close()),
        };
      }),
  };
}
