import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, runs, sampled, tellTried } from '@loom/blocks/testing';
import type { ProviderEvent } from '@loom/kernel';
import { Random } from '@loom/kernel/testing';
import { heardMessages } from '../claude-cli/testing/heard-blocks.ts';
import { inspectEvents } from '../testing/event-rules.ts';
import { byteByByte, splitAt } from '../testing/recordings/splitting.ts';
import { LineChannel } from './line-channel.ts';
import { hear, noStreams, playedAgents } from './testing/played-agents.ts';
import { playedPrograms } from './testing/played-program.ts';

const skip = noStreams;
const agents = playedAgents();
/** Every run splits one stream in this many, different ones for each commit. */
const chosen = sampled(agents, 20);
/** The longest beginning of a stream that is split at each of its bytes; behind it places are chosen. */
const everyByte = runs(4_096, 65_536);
const placesAbove = runs(20, 500);

test('[CI2] wherever the output of an agent is split, the same lines are read', { skip }, async (t) => {
  const random = new Random(1);
  let splits = 0;
  for (const round of rounds((done) => done >= chosen.length, 0.4)) {
    const { name, stream } = chosen[round - 1] ?? assert.fail();
    const whole = await linesOf([stream]);
    const places = Array.from({ length: Math.min(stream.length, everyByte) }, (_, at) => at);
    if (stream.length > everyByte)
      for (let more = 0; more < placesAbove; more += 1)
        places.push(everyByte + random.below(stream.length - everyByte));
    for (const at of places) {
      // The lines before the split are as they are: only those around it are compared whole.
      const lines = await linesOf(splitAt(stream, at));
      if (lines.length !== whole.length || lines.some((line, index) => line !== whole[index]))
        assert.fail(`${name} at byte ${at}`);
    }
    splits += places.length;
  }
  tellTried(t, splits, `splits of ${chosen.length} of ${agents.length} streams of agents`);
});

test('[CI10] [CJ10] [CJ17] byte by byte, the output of an agent becomes the same messages', { skip }, async (t) => {
  let count = 0;
  for (const round of rounds((done) => done >= chosen.length, 0.5)) {
    const { name, stream, provider } = chosen[round - 1] ?? assert.fail();
    const whole = await hear(provider([stream]));
    const split = await hear(provider(byteByByte(stream)));
    assert.deepEqual(heardMessages(split).messages, heardMessages(whole).messages, name);
    assert.deepEqual(split.at(-1), whole.at(-1), name);
    count += whole.length;
  }
  tellTried(t, count, 'events of agents, byte by byte');
});

test(
  '[CI18] however the output of an agent is damaged, its call ends, and its events keep the rules',
  { skip },
  async (t) => {
    const random = new Random(2);
    const small = agents.filter(({ stream }) => stream.length < 70_000);
    let tried = 0;
    for (const round of rounds((done) => done >= runs(150, 20_000), 1)) {
      const { name, stream, provider } = small[round % small.length] ?? assert.fail();
      const damaged = damage(stream, random);
      const events = await hear(provider([damaged]));
      const last = events.at(-1);
      assert.ok(last?.type === 'call-end' || last?.type === 'call-error', `${name}, round ${round}`);
      assert.deepEqual(broken(events), [], `${name}, round ${round}`);
      tried += 1;
    }
    tellTried(t, tried, 'damaged streams of agents');
  },
);

/** The rules that the kernel refuses an event for. */
function broken(events: readonly ProviderEvent[]): unknown[] {
  const forgiven = new Set(['PV1', 'PV6', 'PV7', 'PV8', 'PV10', 'PV11']);
  return inspectEvents(events, true).violations.filter(({ rule }) => !forgiven.has(rule));
}

/** Changes some lines: drops, repeats, swaps, cuts and overwrites them. */
function damage(stream: Uint8Array, random: Random): Uint8Array {
  const lines = Buffer.from(stream).toString().split('\n');
  for (let change = 1 + random.below(4); change > 0; change -= 1) {
    const at = random.below(lines.length);
    const other = random.below(lines.length);
    const line = lines[at] ?? '';
    switch (random.below(6)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(other, 0, line);
        break;
      case 2:
        lines[at] = lines[other] ?? '';
        lines[other] = line;
        break;
      case 3:
        lines[at] = line.slice(0, random.below(line.length + 1));
        break;
      case 4:
        lines[at] = line.replaceAll(/"[^"]{3,}"/g, (text) => (random.chance(0.1) ? 'null' : text));
        break;
      default:
        lines.length = Math.max(1, at);
    }
  }
  const bytes = Buffer.from(lines.join('\n'));
  if (random.chance(0.3) && bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

async function linesOf(pieces: Iterable<Uint8Array>): Promise<string[]> {
  const started = await playedPrograms(
    () => () => undefined,
    () => ({ pieces, ends: true }),
  ).spawn({ command: ['agent'], directory: '/', environment: {} });
  assert.ok(started.ok);
  const lines: string[] = [];
  await new LineChannel(started.process).listen({ line: (text) => lines.push(text), ended: () => {} });
  return lines;
}
