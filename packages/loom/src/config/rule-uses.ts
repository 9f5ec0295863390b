import { join } from 'node:path';
import { z } from 'zod';
import { nodeDisk, readIfThere, replaceFile } from '@loom/data-folder/files';
import type { Clock, PermissionRule } from '@loom/kernel';
import type { RuleUse, StoredRule } from '@loom/tools';
import type { ConfigTarget } from './write.ts';

/** The file in the data folder, beside the configuration: counting must not rewrite what people edit. */
const usesFile = 'permission-uses.json';

/** The counts by rule, as `keyOf` names it. The ids of rules that were written by hand change with their order. */
const content = z.record(z.string(), z.object({ uses: z.int().nonnegative(), last_used: z.string() }));

/** Counts collected for this long are written together, in milliseconds. */
const pause = 1000;

/** Counts how often the rules of a data folder were used. A count that cannot be read or written hinders no call. */
export class RuleUses {
  readonly #target: ConfigTarget & { clock: Clock };
  #known = new Map<string, RuleUse>();
  #isWritten = true;
  #work: Promise<void> = Promise.resolve();
  #cancel: (() => void) | undefined;

  constructor(target: ConfigTarget & { clock: Clock }) {
    this.#target = target;
  }

  /** Counts a use of a rule, if it is one of those that are stored. */
  add(rule: PermissionRule, stored: () => Promise<readonly StoredRule[]>): void {
    const last_used = new Date(this.#target.clock.now()).toISOString();
    const key = keyOf(rule);
    this.#enqueue(async () => {
      const keys = new Set((await stored()).map((one) => keyOf(one.rule)));
      if (!keys.has(key)) return;
      await this.#read();
      this.#known.set(key, { uses: (this.#known.get(key)?.uses ?? 0) + 1, last_used });
      // A rule that was removed begins anew if it is stored again.
      for (const old of this.#known.keys()) if (!keys.has(old)) this.#known.delete(old);
      this.#isWritten = false;
      this.#cancel ??= this.#target.clock.after(pause, () => this.#enqueue(() => this.#write()));
    });
  }

  /** Returns the use of each of these rules that was used, by its id. */
  async of(stored: readonly StoredRule[]): Promise<Map<string, RuleUse>> {
    this.#enqueue(() => this.#read());
    await this.#work;
    const found = stored.flatMap(({ id, rule }): [string, RuleUse][] => {
      const use = this.#known.get(keyOf(rule));
      return use === undefined ? [] : [[id, use]];
    });
    return new Map(found);
  }

  async close(): Promise<void> {
    this.#enqueue(() => this.#write());
    await this.#work;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {});
  }

  /** Reads the file, unless this process knows more than it. */
  async #read(): Promise<void> {
    if (!this.#isWritten) return;
    const bytes = await readIfThere(this.#disk, this.#path);
    this.#known = new Map();
    if (bytes === undefined) return;
    const counts = content.safeParse(parsed(new TextDecoder().decode(bytes)));
    this.#known = new Map(Object.entries(counts.data ?? {}));
  }

  async #write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isWritten) return;
    const text = `${JSON.stringify(Object.fromEntries(this.#known), undefined, 2)}\n`;
    const expected = await readIfThere(this.#disk, this.#path);
    const file = { path: this.#path, content: new TextEncoder().encode(text), expected, mode: 0o600 };
    if ((await replaceFile(this.#disk, file)).ok) this.#isWritten = true;
  }

  get #disk() {
    return this.#target.disk ?? nodeDisk;
  }

  get #path(): string {
    return join(this.#target.dataDir, usesFile);
  }
}

function keyOf({ tool, command, path, host, directory, effect }: PermissionRule): string {
  return JSON.stringify({ tool, command, path, host, directory, effect });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
