import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { runInside, type Outcome, type Surroundings } from './fake-terminal.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

const node = z.looseObject({
  id: z.string(),
  root_id: z.string(),
  parent_id: z.string(),
  child_ids: z.array(z.string()),
  message: z.looseObject({
    role: z.string(),
    content: z.array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        status: z.string().optional(),
        error: z.looseObject({ code: z.string() }).optional(),
      }),
    ),
  }),
  metadata: z.looseObject({}),
});

/** A node as the command prints it. */
export type PrintedNode = z.infer<typeof node>;

/** A data folder of a test, and the command run on it. */
export class ForestFolder {
  readonly dataDir: string;
  readonly #store: StoreKind;

  /** `store` keeps the logs once there are any. */
  constructor(context: TestContext, store: StoreKind = 'sqlite') {
    this.#store = store;
    // Not there yet: commands make it, or do without.
    this.dataDir = join(temporaryDirectory(context), 'data');
  }

  run(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
    return runInside(['--data-dir', this.dataDir, '--store', this.#store, ...args], surroundings);
  }

  /** Runs a command that has to succeed; returns its output. */
  async succeed(args: readonly string[], surroundings: Surroundings = {}): Promise<string> {
    const { code, out, note } = await this.run(args, surroundings);
    assert.equal(code, 0, `${args.join(' ')}: ${note}`);
    return out;
  }

  /** Sends a message, and returns the last node of the answer. */
  async say(text: string, ...args: string[]): Promise<{ root: string; node: string }> {
    const out = await this.succeed(['chat', '--json', `--prompt=${text}`, ...args]);
    return z.strictObject({ root: z.string(), node: z.string() }).parse(jsonLines(out).at(-1));
  }

  async nodes(args: readonly string[]): Promise<PrintedNode[]> {
    return jsonLines(await this.succeed([...args, '--json'])).map((line) => node.parse(line));
  }
}

/** Lines of JSON, each of which must be a document. */
export function jsonLines(text: string): unknown[] {
  assert.ok(text === '' || text.endsWith('\n'));
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

/** The texts of some nodes, each with its role. */
export function wordsOf(nodes: readonly PrintedNode[]): string[] {
  return nodes.map(({ message: { role, content } }) => `${role}: ${content.map(({ text = '' }) => text).join('')}`);
}
