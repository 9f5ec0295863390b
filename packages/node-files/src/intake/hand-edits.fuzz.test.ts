import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { seededRandom } from '@loom/kernel/testing';
import { z } from 'zod';
import { expect, FilesWorld } from '../testing/files-world.ts';

// A deep run sets more.
const traces = Number(process.env['LOOM_TRACES'] ?? 30);

const nodeFile = z.looseObject({
  message: z.looseObject({ content: z.tuple([z.looseObject({ text: z.string() })]) }),
});

test('[NW20] [NW24] whatever is typed into a text, in Loom or in editors that hold older versions, all of it is there once', async (t) => {
  let merged = 0;
  let tried = 0;
  for (const seed of rounds((done) => done >= traces)) {
    tried = seed;
    try {
      merged += await runTrace(seed);
    } catch (error) {
      if (error instanceof assert.AssertionError) error.message += ` (seed ${seed})`;
      throw error;
    }
  }
  tellTried(t, tried, `traces, ${merged} edits merged`);
  assert.ok(tried < 10 || merged > tried);
});

/** A user, a model and two editors write into one text; returns the number of merged saves. */
async function runTrace(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const world = await FilesWorld.create({ seed });
  const root = await world.createRoot();
  const answer = await world.begin(root, root);
  await answer.write('one two three four\nfive six seven eight\nnine ten\n');
  await world.settle(1500);
  const file = `${root}/nodes/node-1.json`;
  const marks: string[] = [];
  const mark = (): string => {
    marks.push(`<${marks.length}> `);
    return marks.at(-1) ?? '';
  };
  /** Returns a place between two words. */
  const placeIn = (text: string): number => {
    const places = [...text.matchAll(/[ \n]/gu)].map(({ index }) => index + 1);
    return places[Math.floor(random() * places.length)] ?? text.length;
  };
  let buffer = (await world.read(file)) ?? '';
  for (let step = 0; step < 12; step += 1) {
    const chance = random();
    if (chance < 0.25) {
      const block = (await world.node(root, answer.node)).blocks[0]?.block_id ?? '';
      expect(await world.splice(root, block, placeIn(await world.text(root, answer.node)), mark()));
    } else if (chance < 0.45) {
      await answer.write(`${mark()}more\n`);
    } else if (chance < 0.8) {
      const json = nodeFile.parse(JSON.parse(buffer));
      const [block] = json.message.content;
      const place = placeIn(block.text);
      block.text = block.text.slice(0, place) + mark() + block.text.slice(place);
      buffer = JSON.stringify(json, undefined, 2);
      await world.save(file, buffer, random() < 0.5 ? 'in-place' : 'rename');
      await world.settle(400);
    } else {
      await world.settle(random() * 2000);
      buffer = (await world.read(file)) ?? '';
    }
    if (random() < 0.3) await world.settle(random() * 1500);
  }
  await answer.end();
  await world.settle();
  await world.assertWritten();
  const text = await world.text(root, answer.node);
  for (const word of marks) assert.equal(text.split(word).length - 1, 1, `${word} is not there once: ${text}`);
  for (const word of 'one two three four five six seven eight nine ten'.split(' ')) assert.ok(text.includes(word));
  assert.deepEqual(await world.list('quarantine'), []);
  return world.reported('merged').length;
}
