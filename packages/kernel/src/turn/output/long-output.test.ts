import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { renderBlockAsText } from '@loom/blocks';
import type { CommandBlock, LongOutput } from '@loom/blocks';
import * as fc from 'fast-check';
import type { ProviderEvent } from '../../provider.ts';
import { passOn } from '../../store.ts';
import { openBlock } from '../tools/open-block.ts';
import type { FeedEvent } from '../../state/feed.ts';
import type { Tool, ToolOutput } from '../../tool.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';

const caps = { contextWindow: 1_000_000, maxOutput: 8_192 };
const lines = (bytes: number): string => 'a line of 😀 output\n'.repeat(Math.ceil(bytes / 22));
const idOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function printing(print: (out: ToolOutput, signal: AbortSignal) => Promise<void>, more: Partial<Tool> = {}): Tool {
  const run: Tool['run'] = async (_invocation, { signal }, out) => {
    await print(out, signal);
    return { content: [] };
  };
  return { ...echoTool('sh', 'run', run), ...more };
}

async function printingWorld(tool: Tool, script: Script[] = [call(['c', 'sh', '{}']), say('done')]): Promise<World> {
  return createWorld(script, [tool], Infinity, caps);
}

async function commandOf(world: World): Promise<CommandBlock | undefined> {
  return (await world.nodes()).flatMap(({ blocks }) => blocks).find((block) => block.type === 'command');
}

async function blobText({ store }: World, output: CommandBlock['stdout']): Promise<string> {
  const blob = typeof output === 'object' ? output.blob : undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await store.getBlob(blob ?? ''));
}

async function assertReloads(world: World): Promise<void> {
  const reopened = await world.another().forest.log(world.root).state();
  assert.deepEqual([...reopened.nodes.values()], await world.nodes());
}

test('[TU70] output beyond 64 KB leaves the log for a spool, of which the log is told at most twice a second', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const piece = lines(30_000);
  let printed = '';
  const tool = printing(async (out) => {
    const shown = openBlock(out, { type: 'command', command: 'make', stdout: 'begins\n' });
    printed = 'begins\n';
    for (let count = 0; count < 40; count += 1) {
      await shown.append('stdout', piece);
      printed += piece;
    }
    await shown.append('stderr', 'a warning\n');
    await released;
    await shown.append('stdout', 'the end');
    printed += 'the end';
    await shown.end({ exit_code: 0 });
  });
  const world = await printingWorld(tool);
  const events: FeedEvent[] = [];
  world.engine.forest.log(world.root).subscribe((item) => {
    if (item.type === 'change') events.push(...item.events);
  });
  const turn = await world.answer(await world.say('go'));
  const field = async (): Promise<LongOutput | undefined> => {
    const output = (await commandOf(world))?.stdout;
    return typeof output === 'object' ? output : undefined;
  };
  await until(async () => (await field()) !== undefined);
  const first = await field();
  assert.ok(first !== undefined && first.blob === undefined && first.bytes > 64 * 1024 && first.bytes < 100_000);
  assert.equal(first.preview, printed.slice(0, first.preview.length));
  assert.ok(first.preview.length > 8_000 && first.preview.length <= 8_192);
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await field())?.bytes, first.bytes, 'no time has passed');
  await world.clock.advanceAndRest(499);
  assert.equal((await field())?.bytes, first.bytes, 'half a second is not over');
  await world.clock.advanceAndRest(1);
  await until(async () => (await field())?.bytes === Buffer.byteLength(printed));
  const { tail = '' } = (await field()) ?? {};
  assert.ok(printed.endsWith(tail) && tail.length > 4_000 && tail.length <= 4_096 && tail.isWellFormed());
  await assertReloads(world);
  release();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const command = await commandOf(world);
  assert.ok(command !== undefined);
  const { tail: end = '', ...whole } = (await field()) ?? { bytes: 0, preview: '' };
  assert.deepEqual(whole, { blob: idOf(printed), bytes: Buffer.byteLength(printed), preview: first.preview });
  assert.ok(printed.endsWith(end) && end.endsWith('the end'));
  assert.equal(await blobText(world, command.stdout), printed);
  assert.deepEqual([command.stderr, command.exit_code, command.status], ['a warning\n', 0, 'done']);
  assert.deepEqual(await world.store.spools(), []);
  await assertReloads(world);
  const logged = events.flatMap((event) => (event.type === 'text-appended' && event.field === 'stdout' ? [event] : []));
  assert.ok(logged.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= 64 * 1024);
  assert.equal(events.filter(({ type }) => type === 'output').length, 1);
});

test('[TU70] whatever the pieces are, live and reloaded conversations show the same, and no character is cut', async () => {
  const unit = fc.constantFrom('a', '\n', 'é', '€', '😀', '\uD83D', '\uDE00', '\u0000', '\uFEFF', 'x'.repeat(9_000));
  const piece = fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.string({ unit, maxLength: 12 }),
    fc.nat(700),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.constantFrom(undefined, 90_001), async (pieces, limit) => {
      const said = { stdout: '', stderr: '' };
      const clock = { advance: (_milliseconds: number): void => {} };
      const tool = printing(
        async (out) => {
          await out.start('c', { type: 'command', command: 'x' });
          for (const [field, text, wait] of pieces) {
            await out.append('c', field, text);
            said[field] += text;
            clock.advance(wait);
          }
        },
        limit === undefined ? {} : { outputLimit: limit },
      );
      const world = await printingWorld(tool);
      clock.advance = (milliseconds) => world.clock.advance(milliseconds);
      const turn = await world.answer(await world.say('go'));
      assert.equal(await world.engine.turns.wait(turn), 'done');
      await assertReloads(world);
      const command = await commandOf(world);
      assert.ok(command !== undefined);
      assert.deepEqual(await world.store.spools(), []);
      const kept = { stdout: 0, stderr: 0 };
      for (const field of ['stdout', 'stderr'] as const) {
        const output: string | LongOutput = command[field] ?? '';
        const text: string = typeof output === 'string' ? output : await blobText(world, output);
        const bytes: number = typeof output === 'string' ? Buffer.byteLength(text) : output.bytes;
        assert.equal(Buffer.byteLength(text), bytes);
        kept[field] = bytes;
        // A pair whose halves came apart, the other output between them, may be lost; nothing else may.
        const expected = said[field]
          .replaceAll(/[\uD800-\uDFFF\uFFFD]/gu, '')
          .replaceAll('\0', '')
          .replaceAll('😀', '');
        const seen = text.replaceAll('😀', '').replaceAll('\uFFFD', '');
        if (limit === undefined) assert.equal(seen, expected);
        else assert.ok(expected.startsWith(seen));
        if (typeof output === 'string') continue;
        assert.ok(text.startsWith(output.preview) && text.endsWith(output.tail ?? '?'));
        assert.ok(output.printed === undefined || output.printed > bytes);
      }
      if (limit !== undefined) assert.ok(kept.stdout + kept.stderr <= limit);
    }),
    { numRuns: 40 },
  );
});

test('[TU108] half a character that one output ends with does not become a part of the other', async () => {
  const world = await printingWorld(
    printing(async (out) => {
      await out.start('c', { type: 'command', command: 'x' });
      await out.append('c', 'stderr', 'no\uD83D');
      await out.append('c', 'stdout', 'yes');
    }),
  );
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  const { stdout, stderr } = (await commandOf(world)) ?? {};
  assert.deepEqual([stdout, stderr], ['yes', 'no\uFFFD']);
});

test('[TU70] what a provider streams leaves the log too, and an end with the same text changes nothing', async () => {
  const pieces = Array.from({ length: 40 }, () => lines(4_000));
  const block: CommandBlock = { type: 'command', command: 'make' };
  const stream: ProviderEvent[] = [
    { type: 'call-start' },
    { type: 'block-start', key: 'k', message: 'm', role: 'assistant', block },
    ...pieces.map((text): ProviderEvent => ({ type: 'block-delta', key: 'k', field: 'stdout', text })),
    { type: 'block-end', key: 'k', block: { ...block, stdout: pieces.join('') } },
    { type: 'call-end', reason: 'stop' },
  ];
  const world = await printingWorld(
    printing(async () => {}),
    [stream],
  );
  let changes = 0;
  world.engine.forest.log(world.root).subscribe((item) => {
    const events = item.type === 'change' ? item.events : [];
    changes += events.filter((event) => event.type === 'block-changed').length;
  });
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  assert.equal(await blobText(world, (await commandOf(world))?.stdout), pieces.join(''));
  assert.equal(changes, 2, 'it left the log, and became a blob');
  assert.deepEqual(await world.store.spools(), []);
});

test('[TU71] what is printed beyond the limit of its tool is counted and dropped, which is no error', async () => {
  const piece = lines(50_000);
  const printed = piece.repeat(4);
  const print = async (out: ToolOutput): Promise<void> => {
    const shown = openBlock(out, { type: 'command', command: 'yes' });
    for (let count = 0; count < 4; count += 1) await shown.append('stdout', piece);
    await shown.end({ exit_code: 0 });
  };
  for (const outputLimit of [1_001, 100_003]) {
    const world = await printingWorld(printing(print, { outputLimit }));
    assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
    const { stdout } = (await commandOf(world)) ?? {};
    assert.ok(typeof stdout === 'object');
    const text = await blobText(world, stdout);
    assert.ok(printed.startsWith(text) && stdout.bytes <= outputLimit && stdout.bytes > outputLimit - 4);
    assert.equal(stdout.printed, Buffer.byteLength(printed));
    assert.equal((await world.nodes()).find(({ role }) => role === 'tool')?.tool, 'result');
    const shown = renderBlockAsText((await commandOf(world)) ?? { type: 'command', command: '' });
    assert.match(
      shown,
      new RegExp(`${stdout.printed} bytes in all, of which the first ${stdout.bytes} were kept`, 'u'),
    );
  }
});

test('[TU70] a model is shown how a long output begins, where the rest is, and how it ends', async () => {
  const tool = printing(async (out) => {
    const shown = openBlock(out, { type: 'command', command: 'make' });
    await shown.append('stdout', `first line\n${lines(100_000)}last line`);
    await shown.end();
  });
  const world = await printingWorld(tool);
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  const { stdout } = (await commandOf(world)) ?? {};
  assert.ok(typeof stdout === 'object');
  const sent = world.provider.requests[1]?.messages.find(({ role }) => role === 'tool')?.content[0];
  assert.ok(sent?.type === 'text');
  assert.ok(sent.text.startsWith('$ make\nfirst line\n') && sent.text.endsWith('last line'));
  assert.ok(sent.text.includes(`${stdout.bytes} bytes in all: ${stdout.blob}`) && sent.text.length < 14_000);
});

test('[TU72] a stopped turn keeps all that was printed as a blob', async () => {
  const printed = lines(200_000);
  const tool = printing(async (out, signal) => {
    await out.start('c', { type: 'command', command: 'yes' });
    await out.append('c', 'stdout', printed);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await out.append('c', 'stdout', 'too late');
  });
  const world = await printingWorld(tool);
  const turn = await world.answer(await world.say('go'));
  await until(async () => typeof (await commandOf(world))?.stdout === 'object');
  assert.ok((await world.engine.turns.abort({ agent: 'ann', id: 'stop' }, world.root, turn)).ok);
  await world.engine.turns.wait(turn);
  const command = await commandOf(world);
  assert.equal(await blobText(world, command?.stdout), printed);
  assert.equal(command?.error?.code, 'stopped');
  assert.deepEqual(await world.store.spools(), []);
  await assertReloads(world);
});

test('[TU72] a provider that fails in the middle of an output leaves all of it as a blob', async () => {
  const printed = lines(100_000);
  const block: CommandBlock = { type: 'command', command: 'make' };
  const stream: ProviderEvent[] = [
    { type: 'call-start' },
    { type: 'block-start', key: 'k', message: 'm', role: 'assistant', block },
    { type: 'block-delta', key: 'k', field: 'stderr', text: printed },
    { type: 'call-error', error: { code: 'overloaded', message: 'no' } },
  ];
  const world = await printingWorld(
    printing(async () => {}),
    [stream],
  );
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'error');
  assert.equal(await blobText(world, (await commandOf(world))?.stderr), printed);
  assert.deepEqual(await world.store.spools(), []);
});

test('[TU72] output of a turn that another process has ended becomes a blob in the process that recovers it', async () => {
  const printed = lines(100_000);
  const tool = printing(async (out, signal) => {
    await out.start('c', { type: 'command', command: 'yes' });
    await out.append('c', 'stdout', printed);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  const world = await printingWorld(tool);
  const turn = await world.answer(await world.say('go'));
  await until(async () => typeof (await commandOf(world))?.stdout === 'object');
  const other = world.another();
  assert.ok((await other.turns.abort({ agent: 'ann', id: 'stop' }, world.root, turn)).ok);
  await world.engine.turns.wait(turn);
  await world.engine.recover(world.root);
  const command = await commandOf(world);
  assert.equal(await blobText(world, command?.stdout), printed);
  assert.equal(command?.error?.code, 'stopped');
  assert.deepEqual(await world.store.spools(), []);
});

test('[TU73] a crash at any write of a long output leaves a spool that the next process makes a blob of', async () => {
  const printed = lines(150_000);
  for (let survived = 0; ; survived += 1) {
    let left = survived;
    const dead = Promise.withResolvers<never>();
    dead.promise.catch(() => {});
    let isDead = false;
    const tool = printing(async (out) => {
      const shown = openBlock(out, { type: 'command', command: 'make' });
      for (let at = 0; at < printed.length; at += 30_000) await shown.append('stdout', printed.slice(at, at + 30_000));
      await shown.end({ exit_code: 0 });
    });
    const world = await printingWorld(tool);
    const die = (): boolean => {
      isDead ||= (left -= 1) < 0;
      return isDead;
    };
    const crash = <T>(write: () => Promise<T>): Promise<T> => (die() ? dead.promise : write());
    const store = passOn(world.store);
    const process = world.another({
      holder: 'mortal',
      tools: [tool],
      store: {
        ...store,
        append: (log, request) => (isDead ? dead.promise : store.append(log, request)),
        async openSpool(name) {
          const spool = await crash(() => store.openSpool(name));
          return {
            get size() {
              return spool.size;
            },
            append: (bytes) => crash(() => spool.append(bytes)),
            sync: () => crash(() => spool.sync()),
            read: (range) => spool.read(range),
            finish: () => crash(() => spool.finish()),
            drop: () => crash(() => spool.drop()),
          };
        },
      },
    });
    const node = await world.say('go');
    const started = await process.turns.generate({ agent: 'ann', id: 'go' }, world.root, {
      node,
      provider: 'scripted',
      model: 'one',
      tools: ['sh'],
    });
    assert.ok(started.ok);
    const turn = started.value.turns[0] ?? '';
    let isOver = false;
    void process.turns.wait(turn).then(() => (isOver = true));
    await until(() => isOver || isDead);
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    const spooled = await Promise.all(
      (await world.store.spools()).map(async (name) => (await store.openSpool(name)).read()),
    );
    world.clock.advance(60_000);
    const heir = world.another({ holder: 'heir', exclusive: true });
    assert.ok((await heir.open(world.root)).ok);
    const blocks = [...(await heir.forest.log(world.root).state()).nodes.values()].flatMap((found) => found.blocks);
    const command = blocks.find((block) => block.type === 'command');
    assert.ok(command !== undefined);
    const { stdout = '' } = command;
    const text = typeof stdout === 'string' ? stdout : await blobText(world, stdout);
    assert.ok(printed.startsWith(text));
    const inSpool = new TextDecoder().decode(spooled[0]);
    assert.ok(text.length >= inSpool.length, `${survived} writes: all that was spooled is there`);
    if (typeof stdout === 'object') assert.ok(text.startsWith(stdout.preview) && text.endsWith(stdout.tail ?? '?'));
    assert.ok(isOver || !isDead || command.status !== 'running');
    assert.deepEqual(await world.store.spools(), [], `${survived} writes`);
    if (!isDead) {
      assert.ok(survived > 5);
      assert.equal(text, printed);
      return;
    }
  }
});
