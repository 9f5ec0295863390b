import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { capturesOf, linesOf } from '../../foreign/testing/material.ts';
import type { ForeignItem, LineReader } from '../../foreign/foreign.ts';
import { createExecReader, createRolloutReader } from '../index.ts';
import type { LiveThread } from '../index.ts';
import { LivePlay, turnsOf } from './testing/live-play.ts';

const rollouts = capturesOf('codex/*/transcript.jsonl');

/** The items of a file after each of its lines. */
function piecesOf(reader: LineReader, lines: readonly string[]): ForeignItem[][] {
  const pieces = lines.map((line) => {
    reader.push(line);
    return reader.take();
  });
  reader.end();
  return [...pieces, reader.take()].filter((piece) => piece.length > 0);
}

/** Streams the words of each item before the item, as Codex does. */
function streamed(live: LiveThread, piece: readonly ForeignItem[]): ProviderEvent[] {
  return piece.flatMap((item) => {
    if (item.type !== 'node' || item.node.role !== 'assistant') return [];
    return item.node.blocks.flatMap(({ key, block }) => {
      if (block.type !== 'text' && block.type !== 'thinking') return [];
      const [id = '', part = '0'] = key.split('#');
      const half = Math.ceil(block.text.length / 2);
      const grown = { item: id, of: block.type, part: Number(part) };
      return [
        ...live.grow({ ...grown, text: block.text.slice(0, half) }, item.node.id),
        ...live.grow({ ...grown, text: block.text.slice(half) }, item.node.id),
      ];
    });
  });
}

test('[CJ1] there are captures of threads', { skip: rollouts.skip }, () => assert.ok(rollouts.files.length > 0));

for (const path of rollouts.files) {
  const name = basename(dirname(path));
  test(`[CJ1] [CJ2] ${name} is the same heard live and imported, and importing it after that adds nothing`, async () => {
    const pieces = piecesOf(createRolloutReader({ name: basename(path) }), linesOf(path));
    const items = pieces.flat();
    const session = items.flatMap((item) => (item.type === 'conversation' ? [item.conversation.id] : []))[0] ?? '';
    const alone = await using(new LivePlay(session), async (play) => {
      await play.import(items);
      return play.blocks();
    });
    // The summary of what came before is a message that no turn says.
    const summaries = items.filter((item) => item.type === 'node' && item.node.context_start === true).length;
    for (const streams of [undefined, streamed]) {
      await using(new LivePlay(session, { streams }), async (play) => {
        for (const turn of turnsOf(pieces)) await play.play(turn);
        const heard = (await play.blocks()).filter((block) => !block.includes('"empty-answer"'));
        assert.deepEqual(heard, alone);
        const counts = await play.import(items);
        assert.deepEqual(counts, { roots_added: 0, nodes_added: summaries, blocks_added: summaries });
      });
    }
  });
}

test(
  '[CJ2] a planted fault is found: a Loom that does not know the name of a session doubles its conversation',
  { skip: rollouts.skip },
  async () => {
    let doubled = 0;
    let heard = 0;
    for (const path of rollouts.files) {
      const pieces = piecesOf(createRolloutReader({ name: basename(path) }), linesOf(path));
      const session = 'a session';
      const turns = turnsOf(pieces);
      if (turns.length === 0) continue;
      const hears = (event: ProviderEvent): boolean => event.type !== 'session';
      await using(new LivePlay(session, { hears }), async (play) => {
        for (const turn of turns) await play.play(turn);
        doubled += (await play.import(pieces.flat())).roots_added;
      });
      heard += 1;
    }
    assert.ok(heard > 5 && doubled >= heard, `${doubled} conversations of ${heard}`);
  },
);

const runs = capturesOf('codex/*/stdout.ndjson');

for (const path of runs.files) {
  const name = basename(dirname(path));
  if (name === 'x20-appserver') continue;
  test(`[CJ1] ${name} as \`codex exec --json\` prints it is the same heard live and imported`, async () => {
    const pieces = piecesOf(createExecReader(), linesOf(path));
    const items = pieces.flat();
    const session = items.flatMap((item) => (item.type === 'conversation' ? [item.conversation.id] : []))[0] ?? 'none';
    const alone = await using(new LivePlay(session), async (play) => {
      await play.import(items);
      return items.length === 0 ? [] : play.blocks();
    });
    await using(new LivePlay(session), async (play) => {
      // The prompt is not printed.
      await play.play({ prompt: 'Go.', pieces });
      const heard = (await play.blocks()).filter((block) => !block.includes('"empty-answer"'));
      assert.deepEqual(heard, alone);
      assert.deepEqual(await play.import(items), { roots_added: 0, nodes_added: 0, blocks_added: 0 });
    });
  });
}

async function using<T>(play: LivePlay, run: (play: LivePlay) => Promise<T>): Promise<T> {
  try {
    return await run(play);
  } finally {
    await play.close();
  }
}
