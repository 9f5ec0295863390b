import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isTestFile, listSources, readText } from '../checks/repository.ts';
import { longestFirst, longFiles, planProcesses, reasonToBeAlone } from './test-processes.ts';

const root = join(import.meta.dirname, '..');

test('[RP18] what took longest is begun first, and before that what is new: browsers, what is long everywhere, programs', () => {
  const known = { a: 1, b: 3, c: 2 };
  assert.deepEqual(longestFirst([['a'], ['b'], ['c'], ['d']], known), [['d'], ['b'], ['c'], ['a']]);
  assert.deepEqual(longestFirst([['a', 'c', 'a'], ['b']], known), [['a', 'c', 'a'], ['b']]);
  const [long = ''] = longFiles;
  assert.deepEqual(longestFirst([['a', 'x'], [long], ['w/e2e/b'], ['w/e2e/d']], { 'w/e2e/d': 5 }), [
    ['w/e2e/b'],
    [long],
    ['a', 'x'],
    ['w/e2e/d'],
  ]);
  const shared = Array.from({ length: 20 }, (_, index) => `packages/a/src/${index}.test.ts`);
  assert.deepEqual(longestFirst([shared, ['scripts/y.test.ts'], [long]], {}), [[long], ['scripts/y.test.ts'], shared]);
});

test('[RP19] the files of a package share processes of equal size, in order; those that need one have their own', () => {
  const files = Array.from({ length: 81 }, (_, index) => `packages/a/src/${String(index).padStart(2, '0')}.test.ts`);
  const plan = planProcesses([...files, 'packages/b/src/x.test.ts', 'scripts/y.test.ts'].toReversed(), (file) =>
    file.endsWith('07.test.ts') ? 'process.chdir(elsewhere)' : '',
  );
  assert.deepEqual(
    plan.map((process) => [process.length, process[0]]),
    [
      [1, 'scripts/y.test.ts'],
      [1, 'packages/a/src/07.test.ts'],
      [1, 'packages/b/src/x.test.ts'],
      [20, 'packages/a/src/00.test.ts'],
      [20, 'packages/a/src/21.test.ts'],
      [20, 'packages/a/src/41.test.ts'],
      [20, 'packages/a/src/61.test.ts'],
    ].toSorted((one, other) => Number(one[0]) - Number(other[0])),
  );
  assert.deepEqual(plan.flat().toSorted(), [...files, 'packages/b/src/x.test.ts', 'scripts/y.test.ts'].toSorted());
});

test('[RP19] of few files every worker gets some, and a process at least four', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `packages/a/${index}.test.ts`);
  const sizes = (count: number): number[] => planProcesses(names(count), () => '').map(({ length }) => length);
  assert.deepEqual(sizes(4), [4]);
  assert.deepEqual(sizes(8), [4, 4]);
  assert.deepEqual(sizes(40), [10, 10, 10, 10]);
});

test('[RP19] browser tests share processes of four files at most, apart from the other tests of their package', () => {
  const browser = Array.from(
    { length: 18 },
    (_, index) => `packages/web/e2e/${String(index).padStart(2, '0')}.test.ts`,
  );
  const plan = planProcesses(['packages/web/src/x.test.ts', ...browser], () => '');
  assert.deepEqual(plan[0], ['packages/web/src/x.test.ts']);
  assert.deepEqual(
    plan.slice(1).map(({ length }) => length),
    [4, 3, 4, 3, 4],
  );
  assert.deepEqual(plan.slice(1).flat(), browser);
  const few = planProcesses(browser.slice(0, 3), () => '');
  assert.deepEqual(few, [[browser[0]], [browser[1]], [browser[2]]]);
});

test('[RP19] what a file does to its process, or measures in it, keeps others out', () => {
  const reasons: Readonly<Record<string, string>> = {
    "import { after, test } from 'node:test';": 'it has hooks for all tests of a process',
    "import {\n  beforeEach,\n  test,\n} from 'node:test';": 'it has hooks for all tests of a process',
    "await test('now', () => {});": 'it waits for tests while it is loaded',
    'process.chdir(folder);': 'it changes the process',
    'process.exitCode = 1;': 'it changes the process',
    "process.removeAllListeners('uncaughtException');": 'it changes the process',
    "process.env['HOME'] = folder;": 'it changes the environment',
    "delete process.env['HOME'];": 'it changes the environment',
    'process.env = {};': 'it changes the environment',
    "Reflect.set(globalThis, 'name', 1);": 'it changes what is global',
    "Object.defineProperty(WebSocket.prototype, 'send', fake);": 'it changes what is global',
    'WebSocket.prototype.send = fake;': 'it changes what is global',
    'globalThis.fetch = fake;': 'it changes what is global',
    't.mock.timers.enable();': 'it changes what is global',
    "t.mock.method(console, 'log', note);": 'it changes what is global',
    'const work = countWork(() => read());': 'it measures time, memory or work',
    [['const start = performance', 'now();'].join('.')]: 'it measures time, memory or work',
    'process.memoryUsage().rss': 'it measures time, memory or work',
  };
  for (const [text, reason] of Object.entries(reasons)) {
    assert.equal(reasonToBeAlone('packages/a/src/x.test.ts', text), reason, text);
  }
  const harmless = `import { test } from 'node:test';
t.after(() => store.close());
child.process.kill('SIGKILL');
const seed = process.env['SEED'] ?? 1;
if (process.env['SEED'] === '1') typeof globalThis.fetch;`;
  assert.equal(reasonToBeAlone('packages/a/src/x.test.ts', harmless), undefined);
});

test('[RP19] what test files share has no hooks for all tests of a process, browser tests aside', () => {
  const shared = listSources(root).filter((file) => isTestFile(file) && !file.endsWith('.test.ts'));
  const hooking = shared.filter(
    (file) => reasonToBeAlone('packages/a/src/x.test.ts', readText(root, file))?.startsWith('it has hooks') === true,
  );
  assert.ok(hooking.length > 0, 'the browser tests have some');
  assert.deepEqual(
    hooking.filter((file) => !file.startsWith('packages/web/e2e/')),
    [],
  );
});

test('[RP18] the files that are long everywhere exist', () => {
  assert.deepEqual(
    [...longFiles].filter((file) => !existsSync(join(root, file))),
    [],
  );
});
