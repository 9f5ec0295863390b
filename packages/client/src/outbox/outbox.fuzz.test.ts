import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { rounds, tellTried } from '@loom/blocks/testing';
import type { Outcome } from '@loom/kernel';
import { Random, rest, VirtualClock } from '@loom/kernel/testing';
import { LoomClient } from '../client.ts';
import type { Fetch } from '../ports.ts';
import type { Outbox } from './outbox.ts';
import { createMemoryOutboxStorage } from './outbox-storage.ts';
import { countingIds, CutNetwork, openEngine } from './testing/cut-network.ts';

/** The actions of a page, and the events that happen to it and to the network, in any order. */
const anyStep = fc.constantFrom(
  'say',
  'write',
  'reply',
  'edit',
  'interfere',
  'arrive',
  'arrive',
  'answer',
  'answer',
  'cut',
  'reload',
  'late',
  'wait',
);

interface Said {
  id: string;
  root: string;
  text: string;
}

/** Two conversations, and one page that is cut off and reloaded at any place. */
class Trace {
  readonly clock = new VirtualClock();
  readonly engine = openEngine(this.clock);
  readonly network = new CutNetwork(this.engine);
  readonly storage = createMemoryOutboxStorage();
  readonly said: Said[] = [];
  readonly written: string[] = [];
  readonly edits: { id: string; to: string }[] = [];
  readonly #random: Random;
  #roots: string[] = [];
  #note = '';
  #page = '';
  #loads = 0;
  #count = 0;
  #outbox: Outbox | undefined;
  /** The requests on their way when a page was left: they may still arrive. */
  #late: (() => Promise<void>)[] = [];

  readonly #fetch: Fetch;

  constructor(seed: number, fetchOf = ({ fetch }: CutNetwork): Fetch => fetch) {
    this.#random = new Random(seed);
    this.#fetch = fetchOf(this.network);
  }

  async begin(): Promise<void> {
    for (const _ of [1, 2]) this.#roots.push(textIn(await this.#call('root.create', {}), 'root'));
    await this.#call('node.append', { parent: this.#roots[0], messages: [{ role: 'user', content: 'note' }] });
    this.#note = `${this.#roots[0]}/node-1`;
    const page = { parent_id: this.#roots[1], role: 'assistant', kind: 'text' };
    this.#page = textIn(await this.#call('block.create', page), 'block_id');
    await this.#load();
  }

  async step(kind: string): Promise<void> {
    const { packets } = this.network;
    const packet = packets[this.#random.below(packets.length)];
    const outbox = this.#outbox ?? assert.fail();
    switch (kind) {
      case 'say':
        this.#say(outbox, this.#random.pick(this.#roots) ?? '');
        break;
      case 'write': {
        const text = `${(this.#count += 1)} `;
        outbox.add('block.append', { block_id: this.#page, text });
        this.written.push(text);
        break;
      }
      case 'reply': {
        const last = this.said.at(-1);
        if (last !== undefined && outbox.entries().some(({ id }) => id === last.id))
          this.#say(outbox, last.root, `outbox:${last.id}/nodes/0`);
        break;
      }
      case 'edit': {
        const to = `mine ${(this.#count += 1)}`;
        const state = await this.engine.forest.log(this.#roots[0] ?? '').state();
        const block = state.nodes.get(this.#note)?.blocks[0];
        const expected = block?.type === 'text' ? block.text : '';
        const { id } = outbox.add('node.edit', { node: this.#note, content: to, expected });
        this.edits.push({ id, to });
        break;
      }
      case 'interfere':
        await this.#call('node.edit', { node: this.#note, content: `theirs ${(this.#count += 1)}` });
        break;
      case 'arrive':
        await packet?.arrive();
        break;
      case 'answer':
      case 'cut':
        if (packet === undefined) break;
        if (kind === 'answer') packet.answer();
        else packet.cut();
        packets.splice(packets.indexOf(packet), 1);
        if (kind === 'cut') this.#late.push(packet.arrive);
        break;
      case 'reload':
        outbox.close();
        this.#late.push(...packets.splice(0).map(({ arrive }) => arrive));
        await this.#load();
        break;
      case 'late':
        await this.#late.shift()?.();
        break;
      default:
        this.clock.advance(this.#random.below(20_000) - (this.#random.chance(0.1) ? 3600 : 0));
    }
    await rest();
  }

  /** Lets everything through, late requests included. */
  async finish(): Promise<Outbox> {
    for (let round = 0; round < 10_000; round += 1) {
      const { status } = this.#outbox?.getSnapshot() ?? assert.fail();
      if (status === 'idle' && this.network.packets.length === 0) break;
      await this.network.flush();
      this.clock.advance(15_000);
      await rest();
    }
    for (const arrive of this.#late) await arrive();
    return this.#outbox ?? assert.fail();
  }

  /** The texts of a conversation, in the order of the log. */
  async texts(root: string): Promise<string[]> {
    const { nodes } = await this.engine.forest.log(root).state();
    return [...nodes.values()]
      .filter(({ id, role }) => id !== this.#note && role === 'user')
      .map(({ blocks: [block] }) => (block?.type === 'text' ? block.text : ''));
  }

  /** Returns the number of times that the note was given a text. */
  async timesMade(to: string): Promise<number> {
    const root = this.#roots[0] ?? '';
    const block = (await this.engine.forest.log(root).state()).nodes.get(this.#note)?.blocks[0]?.block_id ?? '';
    const { items } = await this.#versions(block);
    return items.filter((text) => text === to).length;
  }

  async page(): Promise<string> {
    const block = (await this.engine.forest.log(this.#roots[1] ?? '').state()).block(this.#page);
    return block?.type === 'text' ? block.text : '';
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  async #versions(block: string): Promise<{ items: string[] }> {
    const items: string[] = [];
    for (let version = 1; ; version += 1) {
      const read = await this.#ask('block.read', { block_id: block, version, line_numbers: false });
      if (!read.ok) return { items };
      const { value } = read;
      items.push(typeof value === 'object' && value !== null && 'content' in value ? String(value.content) : '');
    }
  }

  #say(outbox: Outbox, root: string, parent = root): void {
    const text = `text ${(this.#count += 1)}`;
    const { id } = outbox.add('node.append', { parent, messages: [{ role: 'user', content: text }] });
    this.said.push({ id, root, text });
  }

  async #load(): Promise<void> {
    this.#loads += 1;
    const { clock, storage } = this;
    // Ids that sort before those of the page before: the clock of a machine may be set back.
    const ids = countingIds(`page${String(9999 - this.#loads)}-`);
    const place = { url: 'http://server', token: 'x' };
    const client = new LoomClient({ ...place, fetch: this.#fetch, clock, ids, random: () => this.#random.next() });
    this.#outbox = await client.openOutbox(storage);
  }

  #ask(name: string, params: unknown): Promise<Outcome<unknown>> {
    const id = `direct-${(this.#count += 1)}`;
    return this.engine.call(name, { agent: 'other', type: 'person', role: 'owner', door: 'http', id }, params);
  }

  async #call(name: string, params: unknown): Promise<unknown> {
    const outcome = await this.#ask(name, params);
    return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
  }
}

function textIn(value: unknown, key: string): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof text === 'string' ? text : assert.fail();
}

async function check(seed: number, steps: readonly string[], fetchOf?: (network: CutNetwork) => Fetch): Promise<void> {
  const trace = new Trace(seed, fetchOf);
  await trace.begin();
  for (const step of steps) await trace.step(step);
  const outbox = await trace.finish();
  const left = new Set(outbox.entries().map(({ id }) => id));
  for (const root of trace.roots) {
    const expected = trace.said.filter((said) => said.root === root).map(({ text }) => text);
    assert.deepEqual(await trace.texts(root), expected, 'each once, in order');
  }
  assert.equal(await trace.page(), trace.written.join(''), 'written once, in order');
  for (const { id, to } of trace.edits) {
    const times = await trace.timesMade(to);
    assert.ok(times <= 1, 'made once at most');
    assert.ok(times === 1 || left.has(id), 'what was not made is still there');
  }
  for (const { trouble } of outbox.entries())
    assert.equal(trouble?.type === 'refused' && trouble.refusal.reason, 'text-mismatch');
}

/** More in the deep run. */
const traces = Number(process.env['LOOM_OUTBOX_TRACES'] ?? 60);
const tracesOfRound = 60;

const anySteps = fc.array(anyStep, { minLength: 10, maxLength: 60 });

test('[CL28] cut at any place of a request and its answer, and reloaded at any place: nothing is lost, doubled or out of order', async (t) => {
  const property = fc.asyncProperty(fc.nat(), anySteps, (seed, steps) => check(seed, steps));
  let tried = 0;
  for (const round of rounds((done) => done * tracesOfRound >= traces)) {
    await fc.assert(property, { numRuns: tracesOfRound });
    tried = round * tracesOfRound;
  }
  tellTried(t, tried, 'traces of pages that are cut and reloaded');
});

test('[CL28] the traces find a planted fault: a request that is repeated under another key', async () => {
  let last = 0;
  const withOtherKeys = (network: CutNetwork): Fetch => {
    return (url, { headers, ...init }) =>
      network.fetch(url, { ...init, headers: { ...headers, 'idempotency-key': `key-${(last += 1)}` } });
  };
  const property = fc.asyncProperty(fc.nat(), anySteps, (seed, steps) => check(seed, steps, withOtherKeys));
  assert.equal((await fc.check(property, { numRuns: 60, endOnFailure: true })).failed, true);
});
