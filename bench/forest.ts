// The cost of an operation at the end of a long conversation, in a root of many nodes, and above everything else in it.
import { createHash } from 'node:crypto';
import type { Message } from '@loom/blocks';
import { buildContext, costOfChange, pathTo } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { createMemoryStore } from '@loom/stores/memory';
import { median, printHeader, printRatio, printTime } from './measure.ts';

const changes = 400;
const reads = 100;
const prose = 'Some prose that a person or a model could have written. '.repeat(6);
const head = { provider: 'demo', model: 'demo', systemPrompt: 'Be brief.', tools: [] };
const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };

/** A place in a root at which to measure. */
interface Site {
  forest: Forest;
  root: string;
  /** The node at the depth in question; the measured nodes hang below it. */
  node: string;
}

let requests = 0;
const request = () => ({ agent: 'anna', id: `${(requests += 1)}` });

/** Ten, so that as many nodes can be read as the long one has. */
const shorts = await Promise.all(Array.from({ length: 10 }, () => makeChain(500)));
const [short = await makeChain(500)] = shorts;
const long = await makeChain(5000);
const small = await makeTree(1000);
const large = await makeTree(100_000);
const few = await makeFan(500);
const many = await makeFan(50_000);

printHeader('forest');
console.log('  at the end of a chain of 5,000 nodes ÷ of 500');
await compareChanges(short, long, 1.5);
await compareReads([short], long, 12);
console.log('  the same, with ten chains of 500 read in a row: caches and garbage then weigh on both alike');
await compareReads(shorts, long);
console.log('  at depth 50 in a root of 100,000 nodes ÷ of 1,000');
await compareChanges(small, large, 2);
await compareReads([small], large, 2);
console.log('  below a node with 50,000 children ÷ with 500');
await compareChanges(few, many, 2);
await compareReads([few], many, 2);
console.log(
  '  an edit of the first of 50,000 messages, 5,000 deep, with what it costs the branches below, as loom edit does it',
);
await timeFirstEdit('5,000 branches along the way', await makeSpine(9));
await timeFirstEdit('45,000 branches of one message', await makeSpine(1));

async function compareChanges(base: Site, big: Site, limit: number): Promise<void> {
  for (const [name, prepare] of [
    ['append', prepareAppend],
    ['edit in place', prepareEdit],
    ['edit that branches', prepareBranch],
  ] as const) {
    const [low, high] = await measure(changes, await prepare(base), await prepare(big));
    printRatio(name, high, low, limit);
  }
}

async function compareReads(bases: readonly Site[], big: Site, limit?: number): Promise<void> {
  for (const [name, prepare] of [
    ['path', preparePath],
    ['context', prepareContext],
  ] as const) {
    const works = await Promise.all(bases.map(prepare));
    const readAll: Work = async (sample) => {
      for (const work of works) await work(sample);
    };
    const [low, high] = await measure(reads, readAll, await prepare(big));
    printRatio(name, high, low / bases.length, limit);
  }
}

/** The medians of two works that take turns, so that a slow moment of the machine hits both alike. */
async function measure(samples: number, ...works: [Work, Work]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample += 1) {
    for (const side of [0, 1] as const) {
      const start = performance.now();
      await works[side](sample);
      times[side].push(performance.now() - start);
    }
  }
  // The first quarter warms up.
  const rest = (list: number[]): number => median(list.slice(samples / 4));
  return [rest(times[0]), rest(times[1])];
}

type Work = (sample: number) => Promise<void>;

async function prepareAppend({ forest, root, node }: Site): Promise<Work> {
  return async (sample) => {
    await done(forest.append(request(), root, { parent: node, messages: [say('user', `append ${sample}`)] }));
  };
}

async function prepareEdit({ forest, root, node }: Site): Promise<Work> {
  const leaf = await append(forest, root, node, [say('user', 'to be edited')]);
  return async (sample) => {
    await done(forest.editNode(request(), root, { node: leaf, content: `${sample} ${prose}` }));
  };
}

/** Prepares a node for every sample to split, so that the path does not grow. */
async function prepareBranch({ forest, root, node }: Site): Promise<Work> {
  const targets: string[] = [];
  for (let index = 0; index < changes; index += 1) {
    const target = await append(forest, root, node, [say('user', `to be split ${index}`)]);
    await append(forest, root, target, [say('assistant', 'an answer')]);
    targets.push(target);
  }
  return async (sample) => {
    const content = `to be split ${sample}. Some prose that says something else`;
    const { how } = await done(
      forest.editNode(request(), root, { node: targets[sample] ?? '', content, mode: 'split' }),
    );
    if (how !== 'divergence') throw new Error(`the edit was no divergence but ${how}`);
  };
}

async function preparePath({ forest, root, node }: Site): Promise<Work> {
  const state = await forest.log(root).state();
  return async () => {
    if (pathTo(state, node).at(-1)?.id !== node) throw new Error('the path does not lead to the node');
  };
}

async function prepareContext({ forest, root, node }: Site): Promise<Work> {
  const state = await forest.log(root).state();
  return async () => {
    if (buildContext(pathTo(state, node), head, hash).messages.length === 0) throw new Error('the context is empty');
  };
}

/** Times edits of the first message: in place, which is what costs something, and then beside the messages that follow. */
async function timeFirstEdit(shape: string, { forest, root }: Site): Promise<void> {
  const state = await forest.log(root).state();
  const first = `${root}/node-1`;
  const inPlace = await timeEach(5, async (sample) => {
    const before = state.nodes.get(first);
    const [block] = before?.blocks ?? [];
    if (before === undefined || block?.type !== 'text') throw new Error('the first message is not a text');
    const text = `${sample} ${prose}`;
    const after = { ...before, blocks: [{ ...block, text }] };
    const { costs, unseen } = costOfChange(state, { before, after, headOf: () => head }, hash);
    if (costs.length === 0 || unseen === 0) throw new Error('not all branches could have been looked at');
    await done(forest.editBlock(request(), root, { block: block.block_id ?? '', text }));
  });
  printTime(`${shape}, in place`, inPlace, 1000);
  const branching = await timeEach(5, async (sample) => {
    await done(forest.editNode(request(), root, { node: first, content: `${sample}: something else` }));
  });
  printTime(`${shape}, as a branch`, branching, 1000);
}

/** Returns the longest of some works: the time a person has to wait. */
async function timeEach(samples: number, work: Work): Promise<number> {
  let longest = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    const start = performance.now();
    await work(sample);
    longest = Math.max(longest, performance.now() - start);
  }
  return longest;
}

/** A chain of 5,000, and branches of some length off it until there are 50,000 nodes. */
async function makeSpine(branchLength: number): Promise<Site> {
  const { forest, root } = await makeRoot();
  const node = await append(forest, root, root, conversation(5000));
  for (let count = 5000; count < 50_000; count += branchLength) {
    const parent = `${root}/node-${1 + ((count * 48_271) % 5000)}`;
    await append(forest, root, parent, conversation(branchLength, `${count}`));
  }
  return { forest, root, node };
}

async function makeChain(length: number): Promise<Site> {
  const { forest, root } = await makeRoot();
  return { forest, root, node: await append(forest, root, root, conversation(length)) };
}

/** A chain of 50, and everything else below nodes that an even spread picks. */
async function makeTree(size: number): Promise<Site> {
  const { forest, root } = await makeRoot();
  const node = await append(forest, root, root, conversation(50));
  let random = 1;
  for (let count = 50; count < size; count += 5) {
    random = (random * 48_271) % 0x7fff_ffff;
    await append(forest, root, `${root}/node-${1 + (random % count)}`, conversation(5, `${count}`));
  }
  return { forest, root, node };
}

async function makeFan(size: number): Promise<Site> {
  const { forest, root } = await makeRoot();
  const node = await append(forest, root, root, conversation(50));
  for (let count = 0; count < size; count += 1) await append(forest, root, node, [say('user', `${count}`)]);
  return { forest, root, node };
}

async function makeRoot(): Promise<{ forest: Forest; root: string }> {
  let time = 0;
  const clock = { now: () => (time += 1), after: () => () => {} };
  const forest = new Forest({ store: createMemoryStore(), clock, ids: { next: () => 'bench' } });
  return { forest, root: (await done(forest.createRoot(request()))).root };
}

function conversation(length: number, name = ''): Message[] {
  return Array.from({ length }, (_, index) => say(index % 2 === 0 ? 'user' : 'assistant', `${name} ${index}`));
}

function say(role: 'user' | 'assistant', text: string): Message {
  return { role, content: [{ type: 'text', text: `${text}. ${prose}` }] };
}

async function append(forest: Forest, root: string, parent: string, messages: Message[]): Promise<string> {
  return (await done(forest.append(request(), root, { parent, messages }))).nodes.at(-1) ?? parent;
}

async function done<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; refusal: unknown }>): Promise<T> {
  const settled = await outcome;
  if (!settled.ok) throw new Error(JSON.stringify(settled.refusal));
  return settled.value;
}
