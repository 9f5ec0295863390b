import { editableText } from '@loom/blocks';
import assert from 'node:assert/strict';
import type { LoomEngine } from '../../operations/calling/engine.ts';
import type { ProviderEvent } from '../../provider.ts';
import { say } from '../../testing/scripted-provider.ts';
import { subtree } from '../../state/tree/queries.ts';
import { liveDrafts } from '../../state/tree/tree.ts';
import { visibleBlocks } from '../../forest/reading/block-walk.ts';
import type { BlockTools } from '../block-tools.ts';
import { SeededRandom } from './seeded-random.ts';
import { assertHistories, assertWhole, createToolWorld, done, isRefused, toolsOver } from './tool-world.ts';
import type { ToolWorld } from './tool-world.ts';

const agents = ['ann', 'bob', 'cyd'] as const;
const words = ['a', 'bc\n', '😀', 'é\r\n', '\n', 'the lazy dog\n', '👩‍👩‍👧', ' ', 'x\ny'] as const;

/**
 * Three agents, a model that streams and an agent that rearranges the tree, on one conversation, with restarts. After every
 * step each text is that of its document, here and in a process that begins then; refused calls have changed nothing.
 */
export async function runToolFuzz(seed: number, steps: number): Promise<string[]> {
  const fuzz = new ToolFuzz(seed, await createToolWorld(streams(seed), seed % 2 === 0 ? Infinity : 1 + (seed % 13)));
  await fuzz.begin();
  for (let step = 0; step < steps; step += 1) await fuzz.step();
  await fuzz.end();
  return fuzz.trace;
}

/** The model's words, one each time it is told to go on. */
const gates = new Map<number, (() => void)[]>();

function streams(seed: number): (() => AsyncGenerator<ProviderEvent>)[] {
  gates.set(seed, []);
  return Array.from(
    { length: 20 },
    () =>
      async function* stream(): AsyncGenerator<ProviderEvent> {
        const [start, first, ...rest] = say(...Array.from({ length: 8 }, (_, word) => `w${word}\n`));
        for (const event of [start, first]) if (event !== undefined) yield event;
        for (const event of rest) {
          await new Promise<void>((resolve) => gates.get(seed)?.push(resolve));
          yield event;
        }
      },
  );
}

class ToolFuzz {
  readonly trace: string[] = [];
  readonly #random: SeededRandom;
  readonly #seed: number;
  readonly #world: ToolWorld;
  #engine: LoomEngine;
  #tools: BlockTools;
  #agent: string = agents[0];
  #favourite: string | undefined;

  constructor(seed: number, world: ToolWorld) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#world = world;
    this.#engine = world.engine;
    this.#tools = world.tools;
  }

  async begin(): Promise<void> {
    await this.#world.say('one\ntwo\nthree\n');
    await this.#world.say('four\r\nfive 😀\r\nsix');
    await this.#world.say('seven');
  }

  async step(): Promise<void> {
    const random = this.#random;
    const kinds = [
      'append',
      'edit',
      'edit',
      'splice',
      'splice',
      'undo',
      'undo',
      'redo',
      'create',
      'status',
      'there and back',
    ] as const;
    const tree = [
      'node',
      'node',
      'merge',
      'tree-undo',
      'tree-undo',
      'tree-redo',
      'remove',
      'restore',
      'block',
      'draft',
      'undraft',
      'archive',
    ] as const;
    const turn = ['go', 'go', 'go', 'stream', 'restart'] as const;
    const group = random.below(10);
    const wasUndone = this.trace.at(-1)?.includes(' undo {"version"') === true;
    const anything = group < 6 ? random.pick(kinds) : group < 8 ? random.pick(tree) : random.pick(turn);
    const what = wasUndone && random.chance(40) ? 'redo' : anything;
    const before = await this.#shown();
    const said = `${this.trace.length} ${what}`;
    let answer: unknown;
    try {
      answer = await this.#do(what);
    } catch (error) {
      throw new Error(this.#told(said), { cause: error });
    }
    const isRefused = typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === false;
    this.trace.push(`${said} ${JSON.stringify(answer)}`);
    try {
      // Looking at a text does not change it: some runs look at all of them all the time, others hardly ever.
      const looks = this.#seed % 2 === 0 || random.chance(10);
      await assertWhole(this.#engine.forest, this.#world.root, looks);
      if (random.chance(10)) await assertHistories(this.#engine.forest, this.#world.root, this.#tools);
      if (isRefused) assert.equal(await this.#shown(), before, 'what is refused changes nothing');
    } catch (error) {
      throw new Error(this.#told(said), { cause: error });
    }
  }

  async end(): Promise<void> {
    const closed = this.#engine.close();
    const going = setInterval(() => this.#go(), 1);
    await closed;
    clearInterval(going);
  }

  #go(): void {
    for (const go of gates.get(this.#seed)?.splice(0) ?? []) go();
  }

  #told(said: string): string {
    return `seed ${this.#seed}, at ${said}\n${this.trace.slice(-12).join('\n')}`;
  }

  async #shown(): Promise<string> {
    return JSON.stringify([...(await this.#engine.forest.log(this.#world.root).state()).nodes.values()]);
  }

  async #do(what: string): Promise<unknown> {
    const random = this.#random;
    const { root } = this.#world;
    const { forest } = this.#engine;
    // Mostly the same people at the same text, so that their work interacts.
    if (what !== 'redo' && random.chance(50)) this.#agent = random.pick(agents);
    const by = { agent: this.#agent, id: this.#world.ids.next() };
    const state = await forest.log(root).state();
    const blocks = [...visibleBlocks(state)].filter(({ block }) => editableText(block) !== undefined);
    const favourite = blocks.find(({ block }) => block.block_id === this.#favourite);
    const place =
      (what === 'redo' || random.chance(75)) && favourite !== undefined
        ? favourite
        : blocks[random.below(blocks.length)];
    this.#favourite = place?.block.block_id;
    const nodes = subtree(state, root).map(({ id }) => id);
    const node = nodes[random.below(nodes.length)] ?? root;
    if (place === undefined)
      return this.#tools.create(by, { parent_id: root, role: 'user', kind: 'text', content: 'new' });
    const block_id = place.block.block_id ?? '';
    const text = editableText(place.block) ?? '';
    const word = Array.from({ length: 1 + random.below(3) }, () => random.pick(words)).join('');
    switch (what) {
      case 'append': {
        const growing = blocks.filter(({ block }) => block.status === 'pending' || block.status === 'running');
        const grown = growing[random.below(growing.length)]?.block.block_id ?? block_id;
        return this.#tools.append(by, { block_id: grown, text: word });
      }
      case 'edit': {
        const lines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
        const start_line = random.below(lines + 1);
        const end_line = Math.min(lines, start_line + random.below(3));
        const operations = [
          { op: 'replace' as const, start_line, end_line, content: word },
          ...(random.chance(20) ? [{ op: 'insert' as const, line: random.below(lines + 2), content: word }] : []),
        ];
        const version = place.block.version ?? 1;
        const base = random.chance(30) ? { base_version: 1 + random.below(version) } : {};
        return this.#tools.edit(by, { block_id, operations, ...base });
      }
      case 'splice': {
        const characters = Array.from(text);
        const at = random.below(characters.length + 1);
        const gone = characters.slice(at, at + random.below(4));
        const bytes = (part: readonly string[]): number => Buffer.byteLength(part.join(''));
        const offset = bytes(characters.slice(0, at)) + (random.chance(10) ? 1 : 0);
        return this.#tools.splice(by, { block_id, offset, delete_count: bytes(gone), insert: word });
      }
      case 'undo':
      case 'redo': {
        const agent = random.chance(20) ? 'scripted:one' : by.agent;
        return this.#tools[what]({ ...by, agent }, { block_id });
      }
      case 'create': {
        const role = random.pick(['user', 'assistant'] as const);
        const content = random.chance(60) ? { content: word } : {};
        return this.#tools.create(by, {
          parent_id: random.chance(50) ? node : block_id,
          role,
          kind: 'text',
          ...content,
        });
      }
      case 'there and back':
        // The first write of a block also begins it, which is not a change for the undo of a whole conversation.
        return place.block.status === 'pending' ? undefined : this.#thereAndBack(by.agent, block_id, word);
      case 'status':
        return this.#tools.status(by, { block_id, status: random.pick(['done', 'running', 'error'] as const) });
      case 'node': {
        const content = random.chance(50) ? text.slice(0, random.below(text.length + 1)) : text + word;
        const changed = random.chance(40) ? content.slice(0, random.below(content.length + 1)) + word : content;
        return forest.editNode(by, root, {
          node: place.node.id,
          content: changed,
          mode: random.pick(['split', 'split', 'sibling', 'in-place'] as const),
        });
      }
      case 'block':
        return forest.editBlock(by, root, { block: block_id, text: text.slice(random.below(text.length + 1)) + word });
      case 'merge':
        return forest.merge(by, root, node);
      case 'tree-undo':
        return forest.undo(by, root);
      case 'tree-redo':
        return forest.redo(by, root);
      case 'remove':
        return random.chance(70) ? undefined : forest.remove(by, root, { node, children: 'reparent' });
      case 'draft':
        return forest.createDraft(by, root, { text: word, ...(random.chance(50) ? { title: word } : {}) });
      case 'undraft': {
        const drafts = liveDrafts(state);
        const draft = drafts[random.below(drafts.length)];
        return draft === undefined ? undefined : forest.removeDraft(by, root, draft.id);
      }
      case 'archive':
        return forest.markRoot(by, root, { archived: random.chance(50), project: random.chance(50) ? 'p' : null });
      case 'restore':
        return forest.restore(by, root, [...state.nodes.keys()][random.below(state.nodes.size)] ?? node);
      case 'stream': {
        if (state.liveTurns.size > 1) return undefined;
        const params = { node, provider: 'scripted', model: 'one' };
        const answer = await this.#engine.turns.generate(by, root, params);
        await this.#settle();
        return answer;
      }
      case 'restart': {
        await this.end();
        this.#engine = this.#world.another({ exclusive: true });
        this.#tools = toolsOver(this.#engine.forest, this.#world.ids);
        await this.#engine.recover(root);
        return undefined;
      }
      default: {
        this.#go();
        return this.#settle();
      }
    }
  }

  /** Makes an edit, its undo and its redo, each in either of the two possible ways. */
  async #thereAndBack(agent: string, block_id: string, insert: string): Promise<string> {
    const { root, ids } = this.#world;
    const { forest } = this.#engine;
    const by = () => ({ agent, id: ids.next() });
    const text = async (): Promise<string> => done(await this.#tools.read({ block_id, line_numbers: false })).content;
    const texts = [await text()];
    const offset = this.#random.chance(50) ? 0 : Buffer.byteLength(texts[0] ?? '');
    done(await this.#tools.splice(by(), { block_id, offset, delete_count: 0, insert }));
    texts.push(await text());
    const ways: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      for (const which of ['undo', 'redo'] as const) {
        const way = this.#random.pick(['block', 'forest'] as const);
        ways.push(`${which} by ${way}`);
        const answer = way === 'block' ? await this.#tools[which](by(), { block_id }) : await forest[which](by(), root);
        assert.ok(!isRefused(answer), `${ways.join(', ')}: ${JSON.stringify(answer)}`);
        assert.equal(await text(), texts[which === 'undo' ? 0 : 1], ways.join(', '));
      }
    }
    return ways.join(', ');
  }

  /** Lets the model write as much as it may. */
  async #settle(): Promise<undefined> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#world.clock.advance(200);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return undefined;
  }
}
