import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { FolderError } from '@loom/data-folder/files';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { defineOperation } from '@loom/kernel';
import type { Cursor } from '@loom/kernel';
import { generateParams, Random, temporaryDirectory } from '@loom/kernel/testing';
import type { Aim } from '@loom/kernel/testing';
import { StoreError } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { z } from 'zod';
import { openLoom } from './open-loom.ts';
import type { Loom } from './open-loom.ts';
import { embedderLine, embedderProgram } from './testing/embedder.ts';
import { runLoom } from './testing/loom-process.ts';

async function begin(loom: Loom): Promise<{ root: string; node: string }> {
  const created = await loom.call('root.create', {});
  assert.ok(created.ok);
  const { root } = created.value;
  const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: 'echo hello' }] });
  assert.ok(said.ok);
  return { root, node: said.value.nodes[0] ?? '' };
}

interface Embedder {
  next: () => Promise<z.infer<typeof embedderLine>>;
  letEnd: () => void;
}

function startEmbedder(context: TestContext, ...args: string[]): Embedder {
  const child = spawn(process.execPath, [embedderProgram, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    letEnd: () => child.stdin.end(),
    async next() {
      const line = await lines.next();
      return embedderLine.parse(JSON.parse(line.done === true ? '' : line.value));
    },
  };
}

for (const kind of STORE_KINDS) {
  test(`[OL1] a command beside a program that embeds Loom is refused, and the program’s turn goes on to its end: ${kind}`, async (context) => {
    const home = temporaryDirectory(context);
    const dataDir = join(home, 'data');
    const address = 'http://127.0.0.1:4321';
    const { next, letEnd } = startEmbedder(context, dataDir, kind, address);
    const streaming = await next();
    assert.ok(streaming.says === 'streams');
    const { pid, node } = streaming;
    const refused = await runLoom(['bookmark', 'add', node, '--data-dir', dataDir, '--json'], { home });
    const { ok, error } = refusal.parse(JSON.parse(refused.stdout));
    assert.deepEqual([refused.code, ok, error.code, error.pid, error.address], [1, false, 'locked', pid, address]);
    await assert.rejects(openLoom({ dataDir, patience: 0 }), (failure) => {
      assert.ok(failure instanceof FolderError);
      assert.deepEqual(failure.problem, { code: 'locked', folder: dataDir, pid, address });
      return true;
    });
    letEnd();
    const ended = await next();
    assert.ok(ended.says === 'ends');
    assert.equal(ended.reason, 'done');
    const shown = await runLoom(['show', node.split('/')[0] ?? '', '--data-dir', dataDir], { home });
    assert.ok(shown.stdout.includes(ended.text.trim().slice(-40)), shown.stdout);
  });
}

const refusal = z.object({
  ok: z.boolean(),
  error: z.looseObject({ code: z.string(), pid: z.int(), address: z.string() }),
});

test('[OL2] once it is closed, Loom lets the next writer in, and finds there what was said', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  const first = await openLoom({ dataDir });
  const { root, node } = await begin(first);
  await first.close();
  await first.close();
  await using second = await openLoom({ dataDir, patience: 0 });
  const opened = await second.open(root);
  assert.ok(opened.ok && opened.value.nodes.has(node));
});

test('[OL3] a given store is used instead of a folder, and stays open', async () => {
  const store = createMemoryStore();
  const loom = await openLoom({ store, agent: 'robot' });
  const { root } = await begin(loom);
  await loom.close();
  assert.deepEqual((await store.logs()).includes(root), true);
  const again = await openLoom({ store });
  const opened = await again.open(root);
  assert.ok(opened.ok);
  const [node] = opened.value.nodes.values();
  assert.equal(node?.blocks[0]?.agent, 'robot');
  await again.close();
});

test('[OL7] a conversation that there is not is refused over a folder and over a store, and nothing is kept of it', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  for (const options of [{ dataDir }, { store: createMemoryStore() }]) {
    await using loom = await openLoom(options);
    const refused = await loom.open('root-none');
    assert.equal(!refused.ok && refused.refusal.reason, 'root-not-found');
    const listed = await loom.call('root.list', {});
    assert.ok(listed.ok && listed.value.items.length === 0);
  }
});

for (const kind of STORE_KINDS) {
  test(`[OL7] no operation of the table leaves a file behind for an id of nothing: ${kind}`, async (context) => {
    const dataDir = join(temporaryDirectory(context), 'data');
    const options = { dataDir, storeKind: kind };
    const opened = await openLoom(options);
    const { root } = await begin(opened);
    await opened.close();
    // The first opening of a folder notes the files it has looked at.
    const again = await openLoom(options);
    assert.ok((await again.open(root)).ok);
    await again.close();
    const filesIn = (): string[] => readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).toSorted();
    const before = filesIn();
    await using loom = await openLoom(options);
    const random = new Random(1);
    const refused = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      // Of nothing at all, and of nothing in a conversation.
      const place = round % 2 === 0 ? `root-none${round}` : root;
      const ids = { root: 'root-none', node: `${place}/node-999`, block: `${place}/@person/999` };
      const aim: Aim = {
        id: (named) => (named === 'place' ? ids.node : ids[named]),
        named: { messages: () => [{ role: 'user', content: 'x' }], content: () => 'x', query: () => 'x' },
        text: () => 'text',
      };
      for (const { name, params } of loom.engine.operations) {
        const given = generateParams(random, params, aim);
        // Rows that name nothing begin something, which this test is not about.
        if (!/root-none|999/u.test(JSON.stringify(given))) continue;
        const caller = { agent: 'person', type: 'person', role: 'owner', door: 'library' } as const;
        const outcome = await loom.engine.call<string>(name, { ...caller, id: `${name}-${round}` }, given);
        if (!outcome.ok && outcome.refusal.reason.endsWith('-not-found')) refused.add(name);
      }
    }
    assert.ok(refused.size > 40, `only ${refused.size} operations were refused for their ids`);
    await loom.close();
    assert.deepEqual(filesIn(), before);
  });
}

test('[OL8] once it is being closed, Loom begins nothing: a change or a turn that is asked for then fails, over a folder and over a store', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  for (const options of [{ dataDir }, { store: createMemoryStore() }]) {
    const loom = await openLoom(options);
    const { root, node } = await begin(loom);
    const params = { node, provider: 'demo', model: 'echo' };
    const isClosed = (error: unknown): boolean => error instanceof StoreError && error.code === 'store-closed';
    const refuseAll = async (): Promise<void> => {
      await assert.rejects(loom.call('turn.start', params), isClosed);
      const messages = [{ role: 'user' as const, content: 'more' }];
      await assert.rejects(loom.call('node.append', { parent: node, messages }), isClosed);
    };
    const closing = loom.close();
    await refuseAll();
    await closing;
    await refuseAll();
    await using again = await openLoom(options);
    const opened = await again.open(root);
    assert.ok(opened.ok && opened.value.liveTurns.size === 0);
  }
});

test('[OL4] operations of the opener are called like those of the kernel', async () => {
  const greet = defineOperation({
    name: 'robot.greet',
    summary: 'Greets.',
    params: () => z.strictObject({ name: z.string() }),
    result: () => z.string(),
    effect: 'reads',
    run: (_engine, caller, { name }) => Promise.resolve({ ok: true, value: `${caller.agent} greets ${name}` }),
  });
  await using loom = await openLoom({ store: createMemoryStore(), operations: [greet] });
  assert.ok(loom.operations.includes(greet));
  const answer = await loom.call('robot.greet', { name: 'Ada' });
  assert.equal(answer.ok && answer.value.toUpperCase(), 'PERSON GREETS ADA');
  // @ts-expect-error: what an operation takes is known of the opener's own, too.
  const misspelt = await loom.call('robot.greet', { nam: 'Ada' });
  assert.equal(!misspelt.ok && misspelt.refusal.reason, 'invalid-params');
});

test('[OL5] a feed has every change once, after a cursor or from now on, and ends with Loom', async () => {
  const loom = await openLoom({ store: createMemoryStore() });
  const { root, node } = await begin(loom);
  const start = await loom.engine.forest.log(root).cursor();
  const feed = async (cursor?: Cursor): Promise<AsyncIterable<{ type: string; seq?: number }>> => {
    const outcome = await loom.feed(root, cursor);
    return outcome.ok ? outcome.value : assert.fail(outcome.refusal.reason);
  };
  const live = await feed();
  for (const content of ['one', 'two']) {
    assert.ok((await loom.call('node.append', { parent: node, messages: [{ role: 'user', content }] })).ok);
  }
  const seqs = async (items: AsyncIterable<{ type: string; seq?: number }>, many: number): Promise<number[]> => {
    const heard: number[] = [];
    for await (const { seq } of items) if (heard.push(seq ?? 0) === many) break;
    return heard;
  };
  const { seq } = start;
  assert.deepEqual(await seqs(live, 2), [seq + 1, seq + 2]);
  assert.deepEqual(
    await seqs(await feed({ ...start, seq: 1 }), seq + 1),
    Array.from({ length: seq + 1 }, (_, index) => index + 2),
  );
  const rest = seqs(await feed(), Infinity);
  await loom.close();
  assert.deepEqual(await rest, []);
});

test('[OL6] an edit of a node file is there in the first call that names its conversation', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  const first = await openLoom({ dataDir });
  const { root, node } = await begin(first);
  await first.close();
  const file = join(dataDir, root, 'nodes', `${node.slice(root.length + 1)}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('echo hello', 'echo edited'));
  await using second = await openLoom({ dataDir });
  assert.match(JSON.stringify(await second.call('node.get', { node })), /echo edited/u);
});

test('[OL5] the feed of a conversation that there is not is refused', async () => {
  await using loom = await openLoom({ store: createMemoryStore() });
  const refused = await loom.feed('root-unknown');
  assert.equal(refused.ok ? '' : refused.refusal.reason, 'root-not-found');
});
