import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { createRolloutReader } from '../../codex/index.ts';
import { LivePlay, turnsOf } from '../../codex/live/testing/live-play.ts';
import type { ForeignItem } from '../../foreign/foreign.ts';
import { linesOf } from '../../foreign/testing/material.ts';

const fixtures = join(import.meta.dirname, '../../codex/fixtures');

function piecesOf(name: string): { pieces: ForeignItem[][]; session: string } {
  const reader = createRolloutReader({ name });
  const pieces = linesOf(join(fixtures, name)).map((line) => {
    reader.push(line);
    return reader.take();
  });
  const [first] = pieces.flat();
  return { pieces, session: first?.type === 'conversation' ? first.conversation.id : '' };
}

/** Loom hears a session, as far as `hears` lets it; then the session is imported. */
async function heardThenImported(name: string, hears: (event: ProviderEvent) => boolean = () => true) {
  const { pieces, session } = piecesOf(name);
  const play = new LivePlay(session, { hears });
  for (const turn of turnsOf(pieces)) await play.play(turn);
  const before = (await play.nodes()).length;
  const counts = await play.import(pieces.flat());
  const again = await play.import(pieces.flat());
  const nodes = await play.nodes();
  await play.close();
  return { before, counts, again, nodes };
}

const nothing = { roots_added: 0, nodes_added: 0, blocks_added: 0 };

test('[CJ4] instructions of a program are not kept beside messages that Loom has heard', async () => {
  const { before, counts, nodes } = await heardThenImported('resumed.rollout.jsonl');
  assert.deepEqual(counts, nothing);
  assert.equal(nodes.length, before);
});

test('[CJ4] messages of the program that come later go below those that Loom has heard', async () => {
  const { pieces, session } = piecesOf('resumed.rollout.jsonl');
  const [first, ...rest] = turnsOf(pieces);
  assert.ok(first !== undefined && rest.length > 0);
  const play = new LivePlay(session);
  await play.play(first);
  const heard = await play.nodes();
  const { nodes_added: added } = await play.import(pieces.flat());
  assert.ok(added > 0, 'the second turn is new');
  const nodes = await play.nodes();
  const fresh = nodes[heard.length];
  assert.equal(fresh?.role, 'user');
  assert.equal(fresh?.notice, undefined, 'it is the prompt, not the instructions before it');
  assert.equal(fresh?.parent, heard.at(-1)?.id);
  await play.close();
});

test('[CJ5] a prompt and results whose names Loom did not hear are found by their words and their calls', async () => {
  const isUnheard = (event: ProviderEvent): boolean =>
    event.type === 'named' && (event.message === undefined || event.message.startsWith('result of '));
  const { counts, again, nodes } = await heardThenImported('tools.rollout.jsonl', (event) => !isUnheard(event));
  assert.deepEqual(counts, nothing);
  assert.deepEqual(again, nothing);
  const tools = nodes.filter(({ role }) => role === 'tool');
  assert.ok(tools.length > 0 && tools.every(({ note }) => note?.['exported'] !== undefined), 'they have names now');
});

test('[CJ5] an import leaves the model and the cost of a heard message as the turn has counted them', async () => {
  const { nodes } = await heardThenImported('tools.rollout.jsonl');
  const costs = nodes.flatMap(({ source }) =>
    source.type === 'model' ? [[source.provider, source.usage !== undefined]] : [],
  );
  assert.ok(costs.length > 1);
  assert.ok(costs.every(([provider]) => provider === 'codex'));
  assert.equal(costs.filter(([, hasUsage]) => hasUsage).length, 1, 'the cost of a turn is counted once');
});
