import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { NodeState } from '@loom/kernel';
import type { PageLimits, Replica, ReplicaOptions, Scope } from '../index.ts';
import { defaultPages, takeFirstPage, takeOutline } from '../room/snapshot.ts';
import { deliverAll } from './delivery.ts';
import { MemoryKeeper } from './memory-keeper.ts';
import { MemoryPair } from './memory-pair.ts';
import { SeededRandom } from './seeded-random.ts';
import { settle, SyncWorld } from './sync-world.ts';
import { TextMirrors } from './text-mirrors.ts';
import { TypedCharacters } from './typed-characters.ts';

/** Mostly little, so that slow readers are told to join again, and a client that was away for long gets a snapshot. */
const limits = [500, 2000, 1_000_000];

/** Mostly small, so that a snapshot takes several pages. */
const pageLimits: PageLimits[] = [
  { nodes: 1, size: 1, outline: 1 },
  { nodes: 3, size: 1500, outline: 2 },
  defaultPages,
];

const agents = ['ann', 'bob', 'cleo'];

/**
 * Several clients edit one conversation, at once and offline, over connections that are cut, stuck and out of order, while a
 * model streams, others edit by the tools, the tree is changed and the server is restarted or restored. In the end, when
 * everything has arrived, all must have the same state. Returns the problem, or `undefined`.
 */
export async function runTrace(seed: number, steps = 100): Promise<string | undefined> {
  const trace = new Trace(seed);
  let step = 0;
  let did = 'begin';
  try {
    await trace.begin();
    for (; step < steps; step += 1) {
      did = await trace.step();
    }
    did = 'the end';
    return await trace.finish();
  } catch (error) {
    return `step ${step}, ${did}: ${String(error instanceof Error ? error.stack : error)}`;
  }
}

class Trace {
  readonly #random: SeededRandom;
  readonly #world: SyncWorld;
  readonly #typed: TypedCharacters;
  #pairs: MemoryPair[] = [];
  readonly #reloads = new Map<MemoryPair, () => void>();
  readonly #keepers: MemoryKeeper[] = [];
  readonly #mirrors = new Map<Replica, TextMirrors>();
  #part: Scope = 'whole';

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#world = new SyncWorld(this.#random.pick(limits), this.#random.pick(pageLimits));
    this.#typed = new TypedCharacters(this.#world);
    this.#world.flipping = (flip) => this.#typed.watch(flip);
  }

  async begin(): Promise<void> {
    const world = this.#world;
    const block = await world.begin(this.#typed.next(8));
    const [node] = await world.visibleNodes();
    await world.say(this.#typed.next(6), node?.id ?? '');
    await world.say(this.#typed.next(6), node?.id ?? '');
    const id = `${world.root}/node-${1 + this.#random.below(3)}`;
    this.#part = this.#random.chance(50) ? { path: id } : { subtree: id };
    this.#pairs = agents.map((agent, index) => {
      // The last one only wants a part, and the first agent has a second window.
      const scope = index === 2 ? this.#part : 'whole';
      return this.#createPair(agent, agent, { scope });
    });
    this.#pairs.push(this.#createPair('ann', 'ann2'), this.#createPair('dan', 'dan', { load: 'branch' }));
    for (const pair of this.#pairs) pair.connect(world.room);
    await deliverAll(...this.#pairs);
    for (const { replica } of this.#pairs) this.#mirrors.get(replica)?.open(replica, block);
  }

  #createPair(agent: string, name: string, options: Partial<ReplicaOptions> = {}): MemoryPair {
    let loads = 0;
    const keeper = new MemoryKeeper();
    this.#keepers.push(keeper);
    const load = (): Replica => {
      const mirrors = new TextMirrors();
      const onChange: ReplicaOptions['onChange'] = (what) => mirrors.hear(replica, what);
      const replica = this.#world.replica(`${name}.${(loads += 1)}`, { ...options, keeper, onChange });
      this.#mirrors.set(replica, mirrors);
      return replica;
    };
    const pair = new MemoryPair(load(), { agent, mayWrite: true }, this.#random);
    this.#reloads.set(pair, () => {
      const replica = load();
      replica.restore(keeper.left);
      pair.reload(replica);
    });
    return pair;
  }

  async step(): Promise<string> {
    const kind = this.#random.below(100);
    const pair = this.#random.pick(this.#pairs);
    if (pair === undefined) return 'nothing';
    if (kind < 40) return this.#deliver();
    if (kind < 62) return this.#type(pair);
    if (kind < 68) return this.#open(pair);
    if (kind < 74) return this.#changeConnection(pair);
    if (kind < 76) return this.#setCursor(pair);
    if (kind < 82) return this.#stream();
    if (kind < 84) return this.#letTimePass();
    if (kind < 97) return this.#changeOnServer();
    if (kind < 99) {
      await this.#world.restart();
      return 'restart';
    }
    this.#typed.noteUnsaved(this.#keepers.flatMap(({ leftTexts }) => leftTexts));
    await this.#world.restore();
    return 'restore';
  }

  async finish(): Promise<string | undefined> {
    const world = this.#world;
    world.model.end();
    world.clock.advance(5000);
    await settle();
    for (const pair of this.#pairs) if (!pair.isConnected) pair.connect(world.room);
    await deliverAll(...this.#pairs);
    const state = await world.state();
    for (const { replica } of this.#pairs) {
      const name = JSON.stringify(replica.cursor);
      const differently = this.#mirrors.get(replica)?.check(replica);
      if (differently !== undefined) return `${name}: ${differently}`;
      if (replica.unsaved.length > 0) return `${name} never saved ${replica.unsaved.join()}`;
      const scope = replica === this.#pairs[2]?.replica ? this.#part : 'whole';
      const pages = { ...defaultPages, nodes: Infinity, size: Infinity };
      const { snapshot } = takeFirstPage(state, { scope, pages });
      const outline = takeOutline(
        state,
        snapshot.nodes.map(({ id }) => id),
      ).map(({ touched: _touched, ...node }) => node);
      const outlined = compareById([...replica.outline.values()], outline);
      if (outlined !== undefined) return `${name} has the outline ${outlined}`;
      // One client loads only the nodes it happens to look at.
      const isPart = replica === this.#pairs[4]?.replica;
      const isLoaded = ({ id }: NodeState): boolean => !isPart || replica.nodes.has(id);
      const wrong = compareById([...replica.nodes.values()], snapshot.nodes.filter(isLoaded));
      if (wrong !== undefined) return `${name} has ${wrong}`;
      if (isPart && replica.nodes.size === 0 && snapshot.nodes.length > 0) return `${name} has no branch`;
      const drafts = compareById([...replica.drafts.values()], snapshot.drafts ?? []);
      if (drafts !== undefined) return `${name} has the draft ${drafts}`;
      const [root, kernelRoot] = [plain(replica.root), plain(snapshot.root)];
      if (!isDeepStrictEqual(root, kernelRoot))
        return `${name} of ${state.seq} has ${JSON.stringify([root, kernelRoot])}`;
      for (const block of snapshot.nodes.filter(isLoaded).flatMap(({ blocks }) => blocks)) {
        const text = 'text' in block ? block.text : undefined;
        const seen = replica.text(block.block_id ?? '');
        if (seen !== text) return `${name} shows ${seen} for ${block.block_id}, the kernel has ${text}`;
      }
    }
    return this.#typed.check();
  }

  async #deliver(): Promise<string> {
    for (let count = this.#random.below(8); count >= 0; count -= 1) this.#random.pick(this.#pairs)?.deliver();
    await settle();
    return 'deliver';
  }

  #type({ replica }: MemoryPair): string {
    const blocks = [...replica.nodes.values()].flatMap(({ blocks }) => blocks.map(({ block_id: id = '' }) => id));
    const block = this.#random.pick(blocks.filter((id) => replica.isOpen(id)));
    if (block === undefined) return 'nothing to type in';
    const text = replica.text(block) ?? '';
    if (this.#random.chance(20)) return this.#undo(replica, block);
    const at = this.#random.below(text.length + 1);
    const count = this.#random.chance(30) ? this.#random.below(Math.min(4, text.length - at + 1)) : 0;
    const insert = this.#random.chance(80) ? this.#typed.next(1 + this.#random.below(3)) : '';
    this.#typed.noteDeleted(text.slice(at, at + count));
    this.#typed.noteTyped(insert);
    replica.edit(block, [{ at, delete: count, insert }]);
    if (this.#random.chance(20)) this.#world.clock.advance(1100);
    return `type ${insert} at ${at} of ${block}, ${count} deleted`;
  }

  #undo(replica: Replica, block: string): string {
    const before = replica.text(block) ?? '';
    const isUndo = this.#random.chance(65);
    if (isUndo) replica.undo(block);
    else replica.redo(block);
    const after = new Set(replica.text(block) ?? '');
    this.#typed.noteDeleted(
      Array.from(before)
        .filter((character) => !after.has(character))
        .join(''),
    );
    return `${isUndo ? 'undo' : 'redo'} in ${block} of ${before}`;
  }

  #open({ replica }: MemoryPair): string {
    replica.want([this.#random.pick([...replica.outline.keys()]) ?? '']);
    const node = this.#random.pick([...replica.nodes.values()]);
    const block = this.#random.pick(node?.blocks ?? [])?.block_id ?? '';
    if (block === '') return 'nothing to open';
    if (this.#random.chance(70)) this.#mirrors.get(replica)?.open(replica, block);
    else this.#mirrors.get(replica)?.close(replica, block);
    return `open ${block}`;
  }

  #changeConnection(pair: MemoryPair): string {
    if (!pair.isConnected) pair.connect(this.#world.room);
    else if (this.#random.chance(50)) pair.isStuck = !pair.isStuck;
    else this.#random.pick([() => pair.cut(), this.#reloads.get(pair)])?.();
    return 'connection';
  }

  #setCursor({ replica }: MemoryPair): string {
    const node = this.#random.pick([...replica.nodes.values()]);
    const block = this.#random.pick(node?.blocks ?? [])?.block_id ?? '';
    replica.setCursor(block, this.#random.below(1 + (replica.text(block)?.length ?? 0)));
    return 'cursor';
  }

  async #stream(): Promise<string> {
    const { model, engine, clock } = this.#world;
    if (model.isSpeaking) {
      if (this.#random.chance(10)) model.end();
      else if (this.#random.chance(30))
        model.print(`${'a long line of output 😀 '.repeat(500 * this.#random.below(4))}\n`);
      else model.say(this.#typed.next(1 + this.#random.below(5)));
      clock.advance(60);
    } else {
      const node = this.#random.pick(await this.#world.visibleNodes());
      const params = { node: node?.id ?? '', provider: 'prompted', model: 'one' };
      await engine.turns.generate(this.#world.request(), this.#world.root, params);
    }
    await settle();
    return 'stream';
  }

  #letTimePass(): string {
    this.#world.clock.advance(this.#random.below(3000));
    return 'time';
  }

  /** Changes something by other means, as people do; text that disappears by it may not be missed. */
  #changeOnServer(): Promise<string> {
    return this.#typed.watch(async () => {
      const world = this.#world;
      const { root, engine, tools } = world;
      const { forest } = engine;
      const agent = this.#random.pick([...agents, 'tool']) ?? '';
      const node = this.#random.pick(await world.visibleNodes());
      const block = this.#random.pick(node?.blocks ?? [])?.block_id ?? '';
      const text = (await world.textOf(block)) ?? '';
      const at = this.#random.below(text.length + 1);
      const request = world.request(agent);
      switch (this.#random.below(12)) {
        case 0:
        case 1: {
          const insert = this.#typed.next(3);
          const work = {
            block_id: block,
            offset: at * 3,
            delete_count: this.#random.chance(30) && at < text.length ? 3 : 0,
            insert,
          };
          const elsewhere = this.#random.chance(30);
          await (elsewhere ? world.elsewhere((other) => other.splice(request, work)) : tools.splice(request, work));
          return `splice ${insert} at ${at} of ${block}, elsewhere: ${elsewhere}`;
        }
        case 2:
          await tools.undo(request, { block_id: block });
          return `undo of ${agent} in ${block}`;
        case 3:
          await tools.redo(request, { block_id: block });
          return `redo of ${agent} in ${block}`;
        case 4:
          await forest.editNode(request, root, {
            node: node?.id ?? '',
            content: text.slice(0, at) + this.#typed.next(2),
            mode: 'split',
          });
          return `edit of ${node?.id}`;
        case 5:
          await forest.editBlock(request, root, {
            block,
            content: { type: 'text', text: text.slice(at) + this.#typed.next(2) },
          });
          return `replacement of ${block}`;
        case 6: {
          const message = {
            role: 'user' as const,
            content: [{ type: 'text' as const, text: this.#typed.next(4) }] satisfies [object],
          };
          await forest.append(request, root, { parent: node?.id ?? root, messages: [message] });
          return 'message';
        }
        case 7:
          await forest.remove(request, root, {
            node: node?.id ?? '',
            children: this.#random.chance(50) ? 'remove' : 'reparent',
          });
          return `removal of ${node?.id}`;
        case 8:
          await forest.undo(request, root);
          return `undo of ${agent}`;
        case 9:
          await forest.move(request, root, {
            node: node?.id ?? '',
            parent: this.#random.pick(await world.visibleNodes())?.id ?? root,
          });
          return `move of ${node?.id}`;
        case 10:
          return this.#random.chance(70) ? this.#changeDrafts(request) : this.#noteOfProgram(request, node?.id);
        default:
          await forest.markRoot(request, root, {
            title: this.#random.chance(50) ? this.#typed.next(1) : null,
            ...(this.#random.chance(30) ? { archived: this.#random.chance(50) } : {}),
            ...(this.#random.chance(30) ? { project: this.#random.chance(50) ? 'p' : null } : {}),
          });
          await forest.bookmark(request, root, {
            node: node?.id ?? '',
            title: this.#random.chance(50) ? 'here' : null,
          });
          return 'marks';
      }
    });
  }

  /** Writes what only importers and agents write: a message that is a program's notice, or files that were put back. */
  async #noteOfProgram(request: ReturnType<SyncWorld['request']>, node: string | undefined): Promise<string> {
    const { root, engine } = this.#world;
    const turn = `turn-${this.#random.below(2)}`;
    const [isNotice, isOn] = [this.#random.chance(50), this.#random.chance(60)];
    const marked = { type: 'node-changed' as const, node: node ?? '', set: { notice: isOn ? { kind: 'task' } : null } };
    const files = [{ path: `src/${this.#random.below(3)}.ts` }];
    const undone = { type: 'files-undone' as const, turn, to: isOn ? 'undone' : 'done', files } as const;
    await engine.forest.change(request, root, z.null(), (state) => {
      if (isNotice) return { ok: true, ops: state.nodes.has(marked.node) ? [marked] : [], value: null };
      return { ok: true, ops: [undone], value: null };
    });
    return isNotice ? `notice of ${node}` : `files of ${turn}`;
  }

  async #changeDrafts(request: ReturnType<SyncWorld['request']>): Promise<string> {
    const { root, engine, tools } = this.#world;
    const { forest } = engine;
    const drafts = (await this.#world.state()).drafts();
    const draft = this.#random.pick(drafts);
    const block = draft?.blocks[0]?.block_id ?? '';
    switch (draft === undefined ? 3 : this.#random.below(4)) {
      case 0:
        await forest.removeDraft(request, root, draft?.id ?? '');
        return `removal of the draft ${draft?.id}`;
      case 1:
        await forest.markNode(request, root, { node: draft?.id ?? '', title: this.#random.chance(50) ? 'Plan' : null });
        return `name of the draft ${draft?.id}`;
      case 2:
        await tools.splice(request, { block_id: block, offset: 0, delete_count: this.#random.below(2), insert: 'x' });
        return `words in the draft ${draft?.id}`;
      default:
        await forest.createDraft(request, root, {
          text: 'a draft',
          ...(this.#random.chance(50) ? { title: 'T' } : {}),
        });
        return 'draft';
    }
  }
}

/** The first node that one side has and the other has not, or has differently. */
function compareById(is: readonly { id: string }[], expected: readonly { id: string }[]): string | undefined {
  const [mine, theirs] = [is, expected].map((nodes) => new Map(nodes.map((node) => [node.id, plain(node)])));
  for (const id of new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
    const [here, there] = [mine?.get(id), theirs?.get(id)];
    if (!isDeepStrictEqual(here, there)) return `${JSON.stringify(here)}, the kernel ${JSON.stringify(there)}`;
  }
  return undefined;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
