import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder } from '../../testing/forest-folder.ts';

/** The last commit before the format step of decision 0040. */
const lastBefore = '281f9b24';
const repository = join(import.meta.dirname, '../../../../..');

for (const kind of STORE_KINDS) {
  const skip = whyNotTried() ?? false;
  test(
    `[FC47] ${kind}: the Loom before the format step reads a folder of this one, and refuses it with words from its first new change on`,
    { skip },
    async (context) => {
      const older = checkOut(context);
      const forest = new ForestFolder(context, kind);
      const { root } = await forest.say('echo old words');
      const commands = [['ls'], ['show', root], ['tree'], ['chat', '-p', 'echo more', '--node', root]];
      const run = (args: readonly string[]): Run => runOlder(older, forest.dataDir, args);
      for (const args of commands) {
        const { code, note } = run(args);
        assert.equal(code, 0, `${args.join(' ')}: ${note}`);
      }
      await forest.succeed(['call', 'root.mark', JSON.stringify({ root, archived: true })]);
      const before = photograph(forest.dataDir);
      for (const args of commands) {
        const { code, out, note } = run(args);
        assert.notEqual(code, 0, `${args.join(' ')} goes on: ${out}`);
        assert.match(note, /newer|format \d+/u, args.join(' '));
        assert.doesNotMatch(note, /\n\s+at .*:\d+:\d+/u, 'a stack is no explanation');
      }
      assert.deepEqual(photograph(forest.dataDir), before, 'what is refused stays as it is');
      assert.match(await forest.succeed(['show', root]), /old words/u);
      tellTried(context, 2 * commands.length, `commands of the Loom before the format step, ${kind}`);
    },
  );
}

function whyNotTried(): string | undefined {
  if (process.env['LOOM_DEEP'] === undefined) return 'only in the deep run';
  const found = spawnSync('git', ['-C', repository, 'cat-file', '-e', `${lastBefore}^{commit}`]);
  return found.status === 0
    ? undefined
    : `needs the history of the repository: commit ${lastBefore} is not in this clone`;
}

/** The sources of the older Loom, with the packages of others that are installed here. */
function checkOut(context: TestContext): string {
  const folder = temporaryDirectory(context);
  const archive = execFileSync('git', ['-C', repository, 'archive', lastBefore, 'packages', 'package.json'], {
    maxBuffer: 1024 ** 3,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@loom'), { recursive: true });
  const installed = join(repository, 'node_modules');
  for (const name of readdirSync(installed))
    if (name !== '@loom') symlinkSync(join(installed, name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@loom', name));
  return folder;
}

interface Run {
  code: number | null;
  out: string;
  note: string;
}

function runOlder(older: string, dataDir: string, args: readonly string[]): Run {
  const main = join(older, 'packages/loom/src/main.ts');
  const { PATH = '' } = process.env;
  const child = spawnSync(process.execPath, [main, '--data-dir', dataDir, ...args], {
    encoding: 'utf8',
    // Most of the time goes into reading its sources, which is done once.
    env: { PATH, HOME: older, NODE_COMPILE_CACHE: join(older, 'compiled') },
  });
  return { code: child.status, out: child.stdout, note: child.stderr };
}

/** Returns the hashes of the logs and of the files of messages. */
function photograph(dataDir: string): Map<string, string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // The writer is noted even where nothing can be written.
  const kept = files.filter(({ name }) => name === 'loom.db' || (/\.jsonl?$/u.test(name) && name !== 'loom.lock.json'));
  return new Map(
    kept.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, hash('sha256', readFileSync(path))];
    }),
  );
}
