import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { findCorpus, rounds, runs, sampled, tellTried } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { readCorpus } from './corpus-reader.ts';
import { decodeEvents } from './decoding.ts';
import { byteByByte, disguise, disguises, splitAt } from './splitting.ts';

const corpus = findCorpus('provider-wire');
const skip = corpus.found ? false : corpus.reason;
const recordings = corpus.found ? readCorpus(corpus.directory).recordings : [];
/** Every run splits one stream in this many, different ones for each commit. */
const oneIn = 20;
const answers = recordings.filter(({ status }) => status < 400);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The longest stream that is split at each of its bytes; longer ones are split at random places. */
const everyByte = runs(2048, 65_536);
const placesAbove = runs(200, 20_000);

test('[RS2] the decoder that is tested alone is the one of the SDKs', () => {
  const lock = readFileSync(new URL('../../../../../package-lock.json', import.meta.url), 'utf8');
  assert.deepEqual(lock.match(/"[^"]*\/eventsource-parser"(?=: \{)/g), ['"node_modules/eventsource-parser"']);
});

test('[RS2] wherever a stream is split, and byte by byte, the same events are decoded', { skip }, (context) => {
  const random = new Random(1);
  let splits = 0;
  const chosen = sampled(answers, oneIn);
  let streams = 0;
  for (const round of rounds((done) => done >= chosen.length, 0.5)) {
    streams = round;
    const { name, wire, body } = chosen[round - 1] ?? assert.fail();
    const check = (bytes: Uint8Array, places: Iterable<number>, how: string): void => {
      const whole = decodeEvents(wire, [bytes]);
      for (const at of places) {
        splits += 1;
        if (!isSame(decodeEvents(wire, splitAt(bytes, at)), whole)) assert.fail(`${name} ${how}, at byte ${at}`);
      }
    };
    const bytes = encode(body);
    const head = bytes.subarray(0, everyByte);
    const disguised = encode(disguise(body)).subarray(0, everyByte);
    check(head, placesFrom(1, head.length), 'as it was');
    check(disguised, placesFrom(1, disguised.length), 'disguised');
    const rest = bytes.length - head.length;
    check(bytes, rest === 0 ? [] : randomPlaces(random, head.length, rest), 'as it was');
    const whole = decodeEvents(wire, [bytes]);
    if (!isSame(decodeEvents(wire, byteByByte(bytes)), whole)) assert.fail(`${name} byte by byte`);
  }
  tellTried(context, splits, `splits of ${streams} of ${answers.length} streams`);
});

test('[RS2] a decoder that forgets a character which is cut would be found', () => {
  const forgetful = (chunks: Iterable<Uint8Array>): string[] =>
    decodeEvents(
      'anthropic',
      Iterator.from(chunks).map((bytes) => encode(new TextDecoder().decode(bytes))),
    );
  const bytes = encode('data: "Grüße"\n\n');
  assert.ok(!isSame(forgetful(byteByByte(bytes)), forgetful([bytes])));
});

test('[RS2] other line ends, a byte order mark and signs of life change no event', { skip }, () => {
  for (const { name, wire, body } of answers) {
    const whole = decodeEvents(wire, [encode(body)]);
    for (const [how, change] of Object.entries(disguises)) {
      assert.ok(isSame(decodeEvents(wire, [encode(change(body))]), whole), `${name} with ${how}`);
    }
  }
});

// Runs in a separate thread: the hooks of the test runner make every promise, and so every chunk of a stream, several times as slow.
test(
  '[RS2] the blocks depend on the events alone: byte by byte, split, disguised or as bare events',
  { skip },
  async () => {
    const thread = new Worker(new URL('./splitting-thread.ts', import.meta.url));
    assert.deepEqual(await once(thread, 'exit'), [0]);
  },
);

function* placesFrom(start: number, end: number): Generator<number> {
  for (let at = start; at < end; at += 1) yield at;
}

function randomPlaces(random: Random, start: number, length: number): number[] {
  return Array.from({ length: placesAbove }, () => start + random.below(length));
}

function isSame(events: readonly string[], others: readonly string[]): boolean {
  return events.length === others.length && events.every((data, index) => data === others[index]);
}
