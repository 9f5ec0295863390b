import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isPlainObject } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import type { NodeState, Provider, ProviderEvent } from '@loom/kernel';
import { VirtualClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import type { ForeignItem, ForeignNode } from '../../../foreign/foreign.ts';
import { keepPictures } from '../../../foreign/kept-pictures.ts';
import { Importer } from '../../../importing/importer.ts';
import { Origins } from '../../../importing/origins.ts';
import { LiveThread } from '../live-thread.ts';

/** The items of one turn, in the pieces in which they came: a prompt, and everything until the next. */
export interface PlayedTurn {
  readonly prompt: string;
  readonly pieces: readonly (readonly ForeignItem[])[];
}

/** Cuts the items of a thread into turns. */
export function turnsOf(pieces: readonly (readonly ForeignItem[])[]): PlayedTurn[] {
  const turns: { prompt: string; pieces: (readonly ForeignItem[])[] }[] = [];
  let before: (readonly ForeignItem[])[] = [];
  for (const piece of pieces) {
    const prompt = piece.map(promptOf).find((words) => words !== undefined);
    if (prompt !== undefined) {
      turns.push({ prompt, pieces: [...before, piece] });
      before = [];
    } else (turns.at(-1)?.pieces ?? before).push(piece);
  }
  return turns;
}

function promptOf(item: ForeignItem): string | undefined {
  if (item.type !== 'node' || !isPrompt(item.node)) return undefined;
  return item.node.blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function isPrompt({ role, details }: ForeignNode): boolean {
  return role === 'user' && details?.['synthetic'] !== true;
}

interface LiveOptions {
  /** Makes the events of words that come before their items. */
  readonly streams?: ((live: LiveThread, piece: readonly ForeignItem[]) => ProviderEvent[]) | undefined;
  /** Returns false for events that do not reach Loom. */
  readonly hears?: (event: ProviderEvent) => boolean;
}

/** Loom while it listens to a thread that was recorded. */
export class LivePlay {
  readonly store = createMemoryStore();
  readonly #clock = new VirtualClock();
  readonly #engine: LoomEngine;
  readonly #session: string;
  #turn: PlayedTurn | undefined;
  #count = 0;
  #root = '';
  readonly #options: LiveOptions;

  constructor(session: string, options: LiveOptions = {}) {
    this.#session = session;
    this.#options = options;
    const hash = { hex: (value: string): string => createHash('sha256').update(value).digest('hex') };
    this.#engine = new LoomEngine({
      store: this.store,
      clock: this.#clock,
      ids: { next: this.#newId },
      hash,
      providers: [this.#provider()],
      tools: [],
      holder: 'here',
    });
  }

  readonly #newId = (): string => String((this.#count += 1)).padStart(8, '0');

  #provider(): Provider {
    const session = this.#session;
    const current = (): PlayedTurn | undefined => this.#turn;
    const { streams = () => [], hears = () => true } = this.#options;
    return {
      id: 'codex',
      runsTools: true,
      async *stream(_request, call) {
        const live = new LiveThread();
        yield { type: 'call-start' };
        yield { type: 'session', source: 'codex', id: session };
        for (const piece of current()?.pieces ?? []) {
          const kept = await keepPictures(piece, call.blobs);
          yield* [...streams(live, kept), ...live.take(kept)].filter(hears);
        }
        yield* live.finish();
        yield { type: 'call-end', reason: 'stop' };
      },
    };
  }

  /** Says the prompt of a turn below the last message, and listens to the answer. */
  async play(turn: PlayedTurn): Promise<string> {
    this.#turn = turn;
    const { forest, turns } = this.#engine;
    const request = (): { agent: string; id: string } => ({ agent: 'person', id: this.#newId() });
    if (this.#root === '') {
      const created = await forest.createRoot(request(), {});
      assert.ok(created.ok);
      this.#root = created.value.root;
    }
    const parent = (await this.#state()).recentLeaves(1)[0]?.id ?? this.#root;
    const text = { type: 'text' as const, text: turn.prompt === '' ? '(nothing)' : turn.prompt };
    const asked = await forest.append(request(), this.#root, { parent, messages: [{ role: 'user', content: [text] }] });
    assert.ok(asked.ok);
    const node = asked.value.nodes[0] ?? '';
    const started = await turns.generate(request(), this.#root, { node, provider: 'codex', model: 'm' });
    assert.ok(started.ok, JSON.stringify(started));
    return (await turns.wait(started.value.turns[0] ?? '')) ?? '';
  }

  async #state() {
    return this.#engine.forest.log(this.#root).state();
  }

  /** The messages in their order. */
  async nodes(): Promise<NodeState[]> {
    return [...(await this.#state()).nodes.values()];
  }

  /** Every block of the conversation without its ids, as text, in order. */
  async blocks(): Promise<string[]> {
    return sortedBlocks((await this.nodes()).flatMap(({ role, blocks }) => (role === 'user' ? [] : blocks)));
  }

  /** Imports items, and returns the counts of additions. */
  async import(items: readonly ForeignItem[]): Promise<Importer['counts']> {
    const { forest } = this.#engine;
    const blobs = { put: (bytes: Uint8Array): Promise<string> => this.store.putBlob(bytes) };
    const origins = await new Origins().refresh(forest);
    const importer = new Importer({ forest, blobs, newId: this.#newId, source: 'codex', origins });
    await importer.take([...items]);
    if (this.#root === '') this.#root = [...importer.roots][0] ?? '';
    return importer.counts;
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }
}

/** Blocks as texts that can be compared, without what only a live or only an imported one has. */
function sortedBlocks(blocks: readonly MessageBlock[]): string[] {
  return blocks
    .filter(({ type }) => type !== 'conversation')
    .map(
      ({
        block_id: _id,
        status: _status,
        version: _version,
        agent: _agent,
        created_at: _created,
        ended_at: _ended,
        prefix: _prefix,
        ...block
      }) => {
        if (block.type === 'tool-use') delete block.executed;
        return JSON.stringify(sorted(block));
      },
    )
    .toSorted();
}

/** A value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
