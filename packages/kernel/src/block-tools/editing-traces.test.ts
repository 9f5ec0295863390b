import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { spliceText, utf8Length } from '@loom/blocks';
import { fromBase64 } from '@loom/blocks';
import { ClientText } from '@loom/blocks/document';
import { findCorpus, runs } from '@loom/blocks/testing/corpus';
import { createToolWorld, done } from './testing/tool-world.ts';

const corpus = findCorpus('editing-traces');
const options = corpus.found ? {} : { skip: corpus.reason };

const patches = z.array(z.tuple([z.number(), z.number(), z.string()]));
const sequential = z.object({
  startContent: z.string(),
  endContent: z.string(),
  txns: z.array(z.object({ patches })),
});
const concurrent = z.object({
  endContent: z.string(),
  numAgents: z.number(),
  txns: z.array(z.object({ parents: z.array(z.number()), agent: z.number(), patches })),
});

function readTrace(path: string): unknown {
  assert.ok(corpus.found);
  return JSON.parse(gunzipSync(readFileSync(join(corpus.directory, `${path}.json.gz`))).toString());
}

const names = ['sveltecomponent', 'json-crdt-blog-post'];

// Places are counted in code points; these traces hold none beyond the first plane, so they are UTF-16 offsets too.
for (const name of names.slice(0, runs(1, names.length))) {
  test(`[BT75] the recorded keystrokes of ${name} through block.splice give the recorded text`, options, async () => {
    const { startContent, endContent, txns } = sequential.parse(readTrace(`sequential_traces/${name}`));
    const world = await createToolWorld();
    const block_id = await world.block({ content: startContent });
    let text = startContent;
    for (const [at, count, insert] of txns.flatMap((transaction) => transaction.patches)) {
      const offset = utf8Length(text.slice(0, at));
      const delete_count = utf8Length(text.slice(at, at + count));
      done(await world.tools.splice(world.by(), { block_id, offset, delete_count, insert }));
      text = spliceText(text, [{ at, delete: count, insert }]);
    }
    assert.equal(await world.text(block_id), endContent);
    assert.equal(done(await world.restarted().read({ block_id, line_numbers: false })).content, endContent);
  });
}

test('[BT76] people that typed at once, each without the others, end with one text', options, async () => {
  const { endContent, numAgents, txns } = concurrent.parse(readTrace('concurrent_traces/clownschool'));
  const world = await createToolWorld();
  const block_id = await world.block({ content: '' });
  const typists = await Promise.all(
    Array.from({ length: numAgents }, async (_, index) => {
      const agent = `typist-${index}`;
      const added = await world.engine.forest.addClient(world.by(agent), world.root);
      assert.ok(added.ok);
      return { agent, text: new ClientText(added.value.client, { text: '' }), known: new Set<number>() };
    }),
  );
  const updates: string[] = [];
  for (const [index, { parents, agent, patches: edits }] of txns.entries()) {
    const typist = typists[agent] ?? assert.fail();
    learn(typist, parents);
    const before = updates.length;
    const parts = edits.map(([at, count, insert]) => typist.text.edit([{ at, delete: count, insert }]).update);
    for (const update of parts) {
      const { client } = typist.text;
      const sent = { block_id, client, seed: 1, burst: index, update: fromBase64(update) };
      done(await world.tools.update(world.by(typist.agent), sent));
    }
    updates.push(parts.join(' '));
    typist.known.add(before);
  }
  for (const typist of typists) learn(typist, [updates.length - 1, ...updates.keys()]);
  const text = await world.text(block_id);
  for (const typist of typists) assert.equal(typist.text.text, text);
  assert.equal(text, endContent);
  assert.equal(done(await world.restarted().read({ block_id, line_numbers: false })).content, text);

  /** Takes in everything that the others had done by then, the oldest first. */
  function learn(typist: (typeof typists)[number], latest: readonly number[]): void {
    const missing = new Set<number>();
    const open = [...latest];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typist.known.has(next) || missing.has(next)) continue;
      missing.add(next);
      open.push(...(txns[next]?.parents ?? []));
    }
    for (const index of [...missing].sort((a, b) => a - b)) {
      typist.known.add(index);
      for (const update of (updates[index] ?? '').split(' ')) if (update !== '') typist.text.apply(update);
    }
  }
});
