import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCorpus, rounds, tellTried } from '@loom/blocks/testing';
import type { ProviderEvent } from '@loom/kernel';
import { Random } from '@loom/kernel/testing';
import { inspectEvents } from '../event-rules.ts';
import { refusalOf } from './accepting.ts';
import { readCorpus } from './corpus-reader.ts';
import { blocksOf, findVisible } from './findings.ts';
import { mutate } from './mutations.ts';
import { play, playWhole } from './playing.ts';
import { eventsOf } from './recording.ts';
import type { Recording } from './recording.ts';
import { visibleIn } from './visible.ts';

const corpus = findCorpus('provider-wire');
const skip = corpus.found ? false : corpus.reason;
const recordings = corpus.found ? readCorpus(corpus.directory).recordings : [];
const answers = recordings.filter(({ status }) => status < 400);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The rules that a call has broken. */
function brokenBy(events: readonly ProviderEvent[]): unknown[] {
  return inspectEvents(events, false).violations;
}

function textOf(events: readonly ProviderEvent[]): string {
  return blocksOf(events)
    .flatMap((block) => (block.type === 'text' || block.type === 'thinking' ? [block.text] : []))
    .join('');
}

test(
  '[RS1] of every recorded answer at least 99 % of what is visible is in typed blocks, the rest in raw ones',
  { skip },
  async (context) => {
    const wires = new Map<string, { answers: number; typed: number; raw: number }>();
    const wrong: unknown[] = [];
    for (const recording of answers) {
      const { name, wire, body } = recording;
      const events = await playWhole(recording);
      const { typed, raw, lost } = findVisible(visibleIn(wire, eventsOf(body)), blocksOf(events));
      const broken = brokenBy(events);
      if (lost.length > 0 || broken.length > 0) wrong.push({ name, lost, broken });
      const sum = wires.get(wire) ?? { answers: 0, typed: 0, raw: 0 };
      wires.set(wire, { answers: sum.answers + 1, typed: sum.typed + typed, raw: sum.raw + raw });
    }
    for (const [wire, { answers: count, typed, raw }] of wires) {
      const share = typed / (typed + raw);
      context.diagnostic(`${wire}: ${count} answers, ${typed} visible bytes in typed blocks, ${raw} in raw ones`);
      assert.ok(share >= 0.99, `${wire}: only ${share} of what is visible is in typed blocks`);
    }
    assert.deepEqual(wrong, []);
  },
);

test('[RS1] errors that were recorded are told with a code that fits', { skip }, async () => {
  const codes: Record<number, readonly string[]> = {
    400: ['invalid-request'],
    404: ['unknown-model'],
    429: ['rate-limit', 'quota'],
  };
  const refused = recordings.filter(({ status }) => status >= 400);
  assert.ok(refused.length > 0);
  for (const recording of refused) {
    const last = (await playWhole(recording)).at(-1);
    const code = last?.type === 'call-error' ? last.error.code : '';
    assert.ok(codes[recording.status]?.includes(code), `${recording.name}: ${recording.status} is told as ${code}`);
  }
});

test(
  '[RS3] a broken or hostile stream ends well: what came before is kept, nothing hangs or breaks a rule',
  { skip },
  async (context) => {
    const tries = Number(process.env['LOOM_MUTATED_STREAMS'] ?? 2000);
    const short = answers.filter(({ body }) => body.length < 5000);
    const ends = new Map<string, number>();
    let tried = 0;
    for (const seed of rounds((done) => done >= tries)) {
      tried = seed;
      const random = new Random(seed);
      const recording = random.pick(short);
      assert.ok(recording !== undefined);
      const { name, bytes } = mutate(recording.body, random);
      const where = `seed ${seed}: ${name} in ${recording.name}`;
      const events = await play(recording, [bytes]);
      assert.deepEqual(brokenBy(events), [], where);
      const last = events.at(-1);
      const end = last?.type === 'call-error' ? last.error.code : 'a good end';
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (seed % 8 === 0) await assertKept(recording, bytes, events, where);
    }
    tellTried(context, tried, `broken streams: ${[...ends].map(([end, count]) => `${end} ${count}`).join(', ')}`);
  },
);

test('[RS3] the broken streams find a planted fault: a call that is left without an end', { skip }, async () => {
  for (const recording of answers.slice(0, 20)) {
    const events = await playWhole(recording);
    assert.deepEqual(brokenBy(events), []);
    assert.notDeepEqual(brokenBy(events.slice(0, -1)), []);
  }
});

/** Asserts that the content of a stream's unchanged beginning is in the changed stream too. */
async function assertKept(
  recording: Recording,
  bytes: Uint8Array,
  events: readonly ProviderEvent[],
  where: string,
): Promise<void> {
  const original = encode(recording.body);
  const differs = original.findIndex((byte, index) => byte !== bytes[index]);
  const same = Buffer.from(original.subarray(0, differs === -1 ? original.length : differs)).toString('latin1');
  const end = same.lastIndexOf('\n\n');
  if (end === -1) return;
  const before = textOf(await play(recording, [original.subarray(0, end + 2)]));
  assert.ok(textOf(events).startsWith(before), where);
}

test('[RS4] the emulators accept every request that the real APIs have accepted', { skip }, (context) => {
  const asked = answers.flatMap(({ name, wire, request }) => (request === undefined ? [] : [{ name, wire, request }]));
  const refused = asked.flatMap(({ name, wire, request }) => {
    const why = refusalOf(wire, request);
    return why === undefined ? [] : [`${name}: ${why}`];
  });
  context.diagnostic(`${asked.length} requests`);
  assert.deepEqual(refused, []);
});

test('[RS4] and refuse an order of calls and results that was refused', { skip }, () => {
  const recording = recordings.find(({ name }) => name.includes('rejects-malformed-assistant-tool-order'));
  assert.ok(recording?.request !== undefined);
  assert.match(refusalOf(recording.wire, recording.request) ?? '', /without `tool_result` blocks immediately after/);
});
