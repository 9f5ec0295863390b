import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { renderOutput } from '@loom/blocks';
import type { MessageBlock, ToolBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { call, say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';

const idOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const lines = (bytes: number): string => 'a line of 😀 output\n'.repeat(Math.ceil(bytes / 22));

async function answered(
  scripts: Script[],
  content: ToolBlock[] = [],
): Promise<{ world: World; blocks: MessageBlock[] }> {
  const big = echoTool('big', 'run', async () => ({ content }));
  const world = await createWorld(scripts, [big], Infinity, { contextWindow: 1_000_000, maxOutput: 8_192 });
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  const reopened = await world.another().forest.log(world.root).state();
  assert.deepEqual([...reopened.nodes.values()], await world.nodes());
  return { world, blocks: (await world.nodes()).flatMap((node) => node.blocks) };
}

async function blobText({ store }: World, id: string): Promise<string> {
  return new TextDecoder().decode(await store.getBlob(id));
}

test('[TU26] outputs, raw values and native payloads of more than 64 KB are blobs with a preview', async () => {
  const [output, native] = [lines(100_000), { log: lines(70_000) }];
  const content: ToolBlock[] = [
    { type: 'command', command: 'make', stdout: output, stderr: 'short', provider: { scripted: native, other: 1 } },
    { type: 'raw', source: 'make', value: { output } },
  ];
  const { world, blocks } = await answered([call(['1', 'big', '{}']), say('done')], content);
  const command = blocks.find((block) => block.type === 'command');
  const raw = blocks.find((block) => block.type === 'raw');
  assert.ok(typeof command?.stdout === 'object');
  const { blob, bytes, preview } = command.stdout;
  assert.deepEqual([blob, bytes], [idOf(output), Buffer.byteLength(output)]);
  assert.ok(output.startsWith(preview) && preview.length > 8_000 && preview.length <= 8_192 && preview.isWellFormed());
  assert.equal(await blobText(world, blob ?? ''), output);
  assert.equal(command.stderr, 'short');
  const { scripted, ...others } = command.provider ?? {};
  assert.deepEqual(others, { other: 1 });
  const json = JSON.stringify({ output });
  assert.deepEqual(raw?.value, { blob: idOf(json), bytes: Buffer.byteLength(json), preview: json.slice(0, 8_192) });
  assert.match(JSON.stringify(scripted), /^\{"blob":"sha256:/);
});

test('[TU26] a result of 3 MB reaches the model as its beginning and the place of the rest', async () => {
  const output = lines(3_000_000);
  const { world, blocks } = await answered([call(['1', 'big', '{}']), say('done')], [{ type: 'text', text: output }]);
  const text = blocks.find(({ block_id: id }) => id?.includes('/@tool:big/'));
  assert.ok(text?.type === 'text');
  const whole = { blob: idOf(output), bytes: Buffer.byteLength(output) };
  assert.deepEqual(text.metadata, { whole });
  assert.equal(await blobText(world, whole.blob), output);
  assert.ok(text.text.length < 33_000);
  assert.ok(text.text.endsWith(renderOutput({ ...whole, preview: '' })));
  const sent = world.provider.requests[1]?.messages.find(({ role }) => role === 'tool');
  assert.deepEqual(sent?.content, [{ type: 'text', text: text.text }]);
});

test('[TU26] a text of a megabyte stays as it is', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const { blocks } = await answered([call(['1', 'big', '{}']), say('done')], [{ type: 'text', text }]);
  assert.ok(blocks.some((block) => block.type === 'text' && block.text === text));
});

test('[TU26] the output of a command that was streamed becomes a blob at its end', async () => {
  const pieces = Array.from({ length: 40 }, () => lines(4_000));
  const block = { type: 'command' as const, command: 'make' };
  const stream: ProviderEvent[] = [
    { type: 'call-start' },
    { type: 'block-start', key: 'k', message: 'm', role: 'assistant', block },
    ...pieces.map((text): ProviderEvent => ({ type: 'block-delta', key: 'k', field: 'stdout', text })),
    { type: 'block-end', key: 'k' },
    { type: 'call-end', reason: 'stop' },
  ];
  const { world, blocks } = await answered([stream]);
  const command = blocks.find((candidate) => candidate.type === 'command');
  assert.ok(typeof command?.stdout === 'object');
  assert.equal(await blobText(world, command.stdout.blob ?? ''), pieces.join(''));
});

test('[TU26] a blob is durable before the change that cites it', async () => {
  const world = await createWorld(
    [call(['1', 'big', '{}']), say('done')],
    [echoTool('big', 'run', async () => ({ content: [{ type: 'text', text: lines(2_000_000) }] }))],
  );
  const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
  const putBlob = world.store.putBlob.bind(world.store);
  let asked = false;
  Reflect.set(world.store, 'putBlob', async (bytes: Uint8Array) => {
    asked = true;
    await kept;
    return putBlob(bytes);
  });
  const turn = await world.answer(await world.say('go'));
  await until(() => asked);
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await world.nodes()).at(-1)?.tool, 'running');
  keep();
  assert.equal(await world.engine.turns.wait(turn), 'done');
});
