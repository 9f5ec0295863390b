import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLoom } from '../open-loom.ts';

/** Kills of Loom; each ends five commands. The deep run makes more. */
const kills = Number(process.env['LOOM_TOOL_KILLS'] ?? 4);

/** Each says that it has begun through a pipe that it and everything it starts hold open. */
const scripts = [
  'echo ready >&3; exec sleep 1000',
  "trap '' TERM HUP INT; echo ready >&3; while :; do sleep 1000; done",
  "setsid sh -c 'echo ready >&3; exec sleep 1000' & wait",
  "(sh -c '(echo ready >&3; sleep 1000) &' &) ; sleep 1000",
  'setsid sh -c \'setsid sh -c "echo ready >&3; sleep 1000" & exit\' & sleep 1000',
];

test(`[PS8] after kill -9 in the middle of ${kills * scripts.length} commands all of them are gone, their blocks are interrupted, and none runs twice`, async (t) => {
  const dataDir = temporaryDirectory(t);
  const directory = realpathSync(temporaryDirectory(t));
  writeFileSync(join(dataDir, 'config.toml'), '[[permissions]]\ntool = "shell"\neffect = "allow"\n');
  const program = fileURLToPath(new URL('testing/doomed-commands.ts', import.meta.url));
  for (let kill = 0; kill < kills; kill += 1) {
    const pipe = join(directory, `pipe-${kill}`);
    execFileSync('mkfifo', [pipe]);
    const commands = scripts.map((script, index) => `exec 3>pipe-${kill}; echo x >> ran-${kill}-${index}; ${script}`);
    const child = spawn(process.execPath, [program, dataDir, directory, ...commands], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: createReadStream(pipe) })[Symbol.asyncIterator]();
    for (const _script of scripts) assert.deepEqual(await lines.next(), { done: false, value: 'ready' });
    child.kill('SIGKILL');
    // The pipe ends when nothing holds it open.
    assert.equal((await lines.next()).done, true);
  }
  const loom = await openLoom({ dataDir, providers: [] });
  t.after(() => loom.close());
  const listed = await loom.call('root.list', {});
  assert.ok(listed.ok);
  assert.equal(listed.value.items.length, kills * scripts.length);
  for (const { id } of listed.value.items) {
    const opened = await loom.open(id);
    assert.ok(opened.ok);
    const results = [...opened.value.nodes.values()].filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ tool, blocks }) => [tool, blocks.map(({ type, status }) => [type, status])]),
      [
        [
          'interrupted',
          [
            ['command', 'error'],
            ['text', 'error'],
          ],
        ],
      ],
    );
  }
  for (let kill = 0; kill < kills; kill += 1) {
    for (const index of scripts.keys()) {
      assert.equal(readFileSync(join(directory, `ran-${kill}-${index}`), 'utf8'), 'x\n');
    }
  }
});
