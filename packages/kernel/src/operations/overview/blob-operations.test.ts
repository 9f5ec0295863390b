import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { openBlock } from '../../turn/tools/open-block.ts';
import type { ProviderEvent } from '../../provider.ts';
import type { Tool } from '../../tool.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';

/** Each character takes two, three or four bytes, so that most ranges begin or end within one. */
const pattern = 'äö–€😀x\n';
const whole = pattern.repeat(12_000);

const printing: Tool = {
  ...echoTool('print'),
  async run(_invocation, _context, out) {
    const shown = openBlock(out, { type: 'command', command: 'print', stdout: '' });
    await shown.append('stdout', whole);
    await shown.end({ exit_code: 0 });
    return { content: [] };
  },
};

const asking = (id: string, parameters: Record<string, unknown>): ProviderEvent[] => [
  { type: 'call-start' },
  { type: 'block', message: 'm', role: 'assistant', block: { type: 'tool-use', id, name: 'blob_read', parameters } },
  { type: 'call-end', reason: 'tool-use' },
];

const range = z.object({ text: z.string(), start: z.int(), end: z.int(), bytes: z.int(), next: z.int().optional() });
const owner: Caller = { agent: 'ann', type: 'person', role: 'owner', door: 'http', id: '' };

async function printed() {
  let blob = '';
  const world = await createWorld(
    [
      call(['c', 'print', '{}']),
      async function* (request) {
        const seen = JSON.stringify(request.messages);
        blob = /sha256:[0-9a-f]{64}/u.exec(seen)?.[0] ?? '';
        assert.match(seen, /blob_read reads the rest/u, 'a model is told how to read the rest');
        yield* asking('d', { blob, start: 100_000, end: 100_050 });
      },
      say('done'),
    ],
    [printing],
  );
  const turn = await world.answer(await world.say('go'), { tools: ['print', 'blob_read'] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  return { world, blob };
}

test('[OP102] all of a long output can be read by ranges, which never cut a character', async () => {
  const { world, blob } = await printed();
  const read = async (params: { start?: number; end?: number }) => {
    const outcome = await world.engine.call('blob.read', { ...owner, id: world.ids.next() }, { blob, ...params });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return range.parse(outcome.value);
  };
  const bytes = Buffer.byteLength(whole);
  let [text, next, longest]: [string, number | undefined, number] = ['', 0, 0];
  while (next !== undefined) {
    const part = await read({ start: next, end: next + 1001 });
    assert.deepEqual([part.start, part.bytes], [next, bytes]);
    longest = Math.max(longest, part.end - part.start);
    text += part.text;
    next = part.next;
  }
  assert.equal(text, whole);
  assert.ok(longest <= 1004);
  assert.equal((await read({})).end, 16 * 1024);
  const most = await read({ end: bytes });
  assert.ok(most.end - most.start <= 64 * 1024 + 3 && most.next === most.end);
  assert.deepEqual(await read({ start: bytes + 10, end: bytes + 20 }), { text: '', start: bytes, end: bytes, bytes });
  const inside = await read({ start: 1, end: 3 });
  assert.deepEqual([inside.text, inside.start, inside.end], ['ö', 2, 4]);
});

test('[OP102] a model reads what its conversation shows; others who are kept to other conversations read nothing', async () => {
  const { world, blob } = await printed();
  const result = (await world.nodes()).findLast(({ role }) => role === 'tool');
  const [block] = result?.blocks ?? [];
  assert.ok(block?.type === 'text');
  const answer = range.parse(JSON.parse(block.text));
  assert.equal(answer.text, Buffer.from(whole).subarray(answer.start, answer.end).toString());
  const asked = async (caller: Partial<Caller>, name: string) => {
    const outcome = await world.engine.call('blob.read', { ...owner, ...caller, id: world.ids.next() }, { blob: name });
    return outcome.ok ? 'read' : JSON.stringify(outcome.refusal);
  };
  assert.equal(await asked({ roots: [world.root] }, blob), 'read');
  const other = await world.engine.call('root.create', { ...owner, id: world.ids.next() }, {});
  assert.ok(other.ok);
  const unread = await asked({ roots: [z.object({ root: z.string() }).parse(other.value).root] }, blob);
  assert.match(unread, /names nothing that a conversation of yours shows/u);
  // A blob that exists nowhere is refused in the same words.
  assert.equal(await asked({ roots: [world.root] }, `sha256:${'0'.repeat(64)}`), unread);
  const picture = await world.engine.blobs.put(Uint8Array.of(137, 80, 0, 13));
  assert.match(await asked({}, picture), /not text/u);
});
