import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LoomEngine } from '@loom/kernel';
import { temporaryDirectory, VirtualClock } from '@loom/kernel/testing';
import { openFileSystemStore } from './open.ts';

const program = fileURLToPath(new URL('./testing/printing-process.ts', import.meta.url));
const progress = z.strictObject({ printed: z.int(), time: z.number() });

const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
let lastId = 1_000;

test('[TU73] of what a process had printed when it was killed, all but the last half second is in the blob', async (context) => {
  const directory = temporaryDirectory(context);
  const heard = await printUntilKilled(directory);
  const store = await openFileSystemStore({ directory });
  const parts = {
    clock: new VirtualClock(),
    ids: { next: () => String((lastId += 1)) },
    hash,
    providers: [],
    tools: [],
  };
  const engine = new LoomEngine({ ...parts, store, holder: 'heir', exclusive: true });
  const logs = await store.logs();
  const areRoots = await Promise.all(logs.map((log) => engine.forest.has(log)));
  const root = logs.find((_log, index) => areRoots[index]) ?? '';
  const opened = await engine.open(root);
  assert.ok(opened.ok);
  const command = [...opened.value.nodes.values()]
    .flatMap(({ blocks }) => blocks)
    .find(({ type }) => type === 'command');
  assert.ok(command?.type === 'command' && typeof command.stdout === 'object');
  assert.equal(command.error?.code, 'interrupted');
  const { blob = '', bytes, preview, tail = '?' } = command.stdout;
  const text = new TextDecoder().decode(await store.getBlob(blob));
  const last = heard.at(-1) ?? { printed: 0, time: 0 };
  const durable = heard.findLast(({ time }) => time <= last.time - 500)?.printed ?? 0;
  assert.ok(durable > 64 * 1024 && bytes >= durable, `${bytes} of ${last.printed} bytes, at least ${durable}`);
  const expected = Array.from({ length: text.split('\n').length }, (_, line) => `line ${line} 😀\n`).join('');
  assert.ok(expected.startsWith(text) && text.startsWith(preview) && text.endsWith(tail));
  assert.deepEqual(await store.spools(), []);
  await engine.close();
  await store.close();
});

/** Lets a process print for as long as it takes to say something about the last half second, and kills it. */
async function printUntilKilled(directory: string): Promise<z.infer<typeof progress>[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const heard: z.infer<typeof progress>[] = [];
  let begun = Infinity;
  for await (const line of createInterface({ input: child.stdout })) {
    // The last one may have been cut off.
    if (!line.endsWith('}')) continue;
    const told = progress.parse(JSON.parse(line));
    heard.push(told);
    if (told.printed > 200_000) begun = Math.min(begun, told.time);
    if (told.time > begun + 1_200) child.kill('SIGKILL');
  }
  await exited;
  return heard;
}
