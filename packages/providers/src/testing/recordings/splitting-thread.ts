import assert from 'node:assert/strict';
import { findCorpus, rounds, runs, sampled } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { readCorpus } from './corpus-reader.ts';
import { decodeEvents } from './decoding.ts';
import { play, playWhole } from './playing.ts';
import type { Recording } from './recording.ts';
import { byteByByte, disguise, pieceByPiece, splitAt } from './splitting.ts';

/** The longest stream that goes through its provider byte by byte; longer ones go in pieces. */
const byteByByteUpTo = runs(2048, Number.POSITIVE_INFINITY);
const places = runs(1, 200);

const corpus = findCorpus('provider-wire');
const recordings = corpus.found ? readCorpus(corpus.directory).recordings : [];
const random = new Random(2);

const wrong: string[] = [];
// The same recordings that are split at each byte, see splitting.test.ts.
const chosen = sampled(
  recordings.filter(({ status }) => status < 400),
  20,
);
for (const round of rounds((done) => done >= chosen.length)) {
  const recording = chosen[round - 1] ?? assert.fail();
  const whole = JSON.stringify(await playWhole(recording));
  for (const [how, chunks] of waysToCome(recording)) {
    if (JSON.stringify(await play(recording, chunks)) !== whole) wrong.push(`${recording.name} ${how}`);
  }
}
assert.deepEqual(wrong, []);

function waysToCome({ wire, body }: Recording): [how: string, chunks: Uint8Array[]][] {
  const bytes = encode(body);
  const disguised = encode(disguise(body));
  const head = bytes.subarray(0, byteByByteUpTo);
  const rest = pieceByPiece(bytes.subarray(byteByByteUpTo), () => 1 + random.below(400));
  const ways: [string, Uint8Array[]][] = [
    ['as bare events', decodeEvents(wire, [bytes]).map((data) => encode(bareEvent(data)))],
    ['disguised', [...byteByByte(disguised.subarray(0, 100)), disguised.subarray(100)]],
    ['byte by byte', [...byteByByte(head), ...rest]],
  ];
  for (let count = places; count > 0; count -= 1) {
    const at = random.below(bytes.length);
    ways.push([`split at byte ${at}`, splitAt(bytes, at)]);
  }
  return ways;
}

/** Returns an event with nothing around it that a decoder would leave out. */
function bareEvent(data: string): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `${lines.join('')}\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
