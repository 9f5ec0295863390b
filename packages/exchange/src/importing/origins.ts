import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Forest } from '@loom/kernel/logs';
import type { ForeignConversation } from '../foreign/foreign.ts';
import { EmptyFiles } from './empty-files.ts';
import { nameOf } from './format.ts';
import type { FoundFile } from './format.ts';
import { awaitedIn, filesIn, isUnplaced, originsIn } from './root-facts.ts';
import type { TakenFile } from './root-facts.ts';

/** The source of Loom's own exports in origins. */
export const loomSource = 'loom';

/** The call that started a sub-agent. */
export type Parent = NonNullable<ForeignConversation['parent']>;

/** The roots of a forest that hold conversations of other programs, by their names there. All imports of a process share one. */
export class Origins {
  readonly #roots = new Map<string, string>();
  readonly #files = new Map<string, TakenFile>();
  readonly #empty: EmptyFiles;
  /** Files and folders that are read again, because the call of a sub-agent in them is unknown. */
  readonly #sought = new Set<string>();
  readonly #parents = new Map<string, Parent[]>();

  constructor(empty: EmptyFiles = new EmptyFiles()) {
    this.#empty = empty;
  }

  /**
   * Reads the list of conversations, and of these only those with so many names or files that a list leaves them out. Deleted ones count: a
   * conversation that a user has deleted does not come back.
   */
  async refresh(forest: Forest): Promise<this> {
    this.#sought.clear();
    for (const deleted of [true, false]) {
      for (const { id, config: listed, config_left_out: leftOut = [] } of await forest.listRoots({ deleted })) {
        const isShort = !leftOut.some((key) => key === 'imported' || key === 'exported');
        const config = isShort ? listed : ((await forest.stateUnlessDamaged(id))?.config ?? listed);
        // Loom's exports name their conversations by their own ids.
        this.add(loomSource, id, id);
        for (const { source, id: name } of originsIn(config)) this.add(source, name, id);
        const [own] = originsIn(config);
        for (const [name, call] of awaitedIn(config))
          if (own !== undefined) this.noteParent(own.source, name, { conversation: own.id, call });
        for (const [path, file] of filesIn(config)) {
          this.#files.set(path, file);
          if (!deleted && isUnplaced(config) && existsSync(path)) this.#seekCallOf(path);
        }
      }
    }
    return this;
  }

  find(source: string, names: readonly string[]): string | undefined {
    for (const name of names) {
      const root = this.#roots.get(keyOf(source, name));
      if (root !== undefined) return root;
    }
    return undefined;
  }

  /** Remembers that a file was read to its end. A file that became a conversation is found by that. */
  noteRead(file: FoundFile): void {
    if (!this.#files.has(nameOf(file))) this.#empty.add(file);
  }

  /** Returns true if a file was imported in its present state, or had nothing to import. */
  isTaken(found: FoundFile): boolean {
    const { path, bytes, modified } = found;
    const file = this.#files.get(path);
    if (this.#sought.has(path) || this.#sought.has(dirname(path))) return false;
    if (file === undefined) return this.#empty.has(found);
    return file.bytes === bytes && file.modified === modified;
  }

  /** Marks the files that can link a sub-agent to its call: its own, or that of its session, which is beside it or above its folder. */
  #seekCallOf(path: string): void {
    const folder = dirname(path);
    this.#sought.add(path).add(basename(folder) === 'subagents' ? `${dirname(folder)}.jsonl` : folder);
  }

  noteFile(file: FoundFile): void {
    const { bytes, modified } = file;
    this.#sought.delete(file.path);
    this.#files.set(nameOf(file), { bytes, modified });
  }

  /**
   * Notes the call that started a sub-agent whose conversation has not been read yet. The sub-agent's own file names the session; another file names
   * the sub-agent inside that session that started it.
   */
  noteParent(source: string, name: string, parent: Parent): void {
    const others = this.parentsOf(source, name).filter(
      ({ conversation, call }) => conversation !== parent.conversation || call !== parent.call,
    );
    this.#parents.set(keyOf(source, name), [...others, parent]);
  }

  parentsOf(source: string, name: string): readonly Parent[] {
    return this.#parents.get(keyOf(source, name)) ?? [];
  }

  add(source: string, name: string, root: string): void {
    this.#roots.set(keyOf(source, name), root);
  }
}

function keyOf(source: string, name: string): string {
  return `${source} ${name}`;
}
