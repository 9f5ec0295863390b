import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { temporaryDirectory, writeFiles } from '../checks/testing/planted-repository.ts';
import { runNode } from '../checks/tool.ts';
import { readProcesses } from './standstill.ts';
import { longFiles, planProcesses } from './test-processes.ts';
import { plantedRunProgram } from './testing/planted-run.ts';

const repository = join(import.meta.dirname, '..');
const folder = 'packages/planted/src';
const patient = { test: 600_000, standstill: 600_000 };

/** Runs planted test files, which share a process; their texts by name. Returns the output. */
function runPlanted(t: TestContext, texts: Readonly<Record<string, string>>, limits = patient): Promise<string> {
  const files = Object.entries(texts).map(([name, text]): [string, string] => [`${folder}/${name}.test.ts`, text]);
  return runPlantedFiles(t, Object.fromEntries(files), limits);
}

async function runPlantedFiles(
  t: TestContext,
  texts: Readonly<Record<string, string>>,
  limits = patient,
): Promise<string> {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['scripts', 'node_modules/@loom', 'node_modules/fast-check']) {
    symlinkSync(join(repository, name), join(root, name));
  }
  const head = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
  const files = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, `${head}${text}\n`]));
  writeFiles(root, files);
  assert.equal(planProcesses(Object.keys(files), (file) => files[file] ?? '').length, 1, 'they share a process');
  const numbers = [`${limits.test}`, `${limits.standstill}`];
  const { code, stdout, stderr } = await runNode([plantedRunProgram, root, ...numbers, ...Object.keys(files)], root);
  assert.equal(code, /, 0 failed,/u.test(stdout) ? 0 : 1, stderr);
  return stripVTControlCharacters(stdout);
}

const fine = "test('fine', () => assert.ok(true));";
/** Hides the test's code from the rule that would give its file a separate process. */
const hidden = "const itself = Reflect.get(globalThis, 'process');";

test('[RP19] [RP20] files that share a process pass and fail as files apart', async (t) => {
  const printed = await runPlanted(t, {
    'a-fails': "test('two is three', () => assert.equal(2, 3));\ntest('goes on', () => {});",
    'b-skips': "test('not here', { skip: 'no device' }, () => {});",
    'c-passes': fine,
  });
  assert.match(printed, new RegExp(`✖ two is three \\(${folder}/a-fails\\.test\\.ts:3\\)`, 'u'));
  assert.match(printed, /2 !== 3/u);
  assert.match(printed, /1 test skipped: no device/u);
  assert.match(printed, /tests: 2 passed, 1 failed, 1 skipped/u);
});

test('[RP20] at the end each failure is told once more, with the beginning of its reason', async (t) => {
  const printed = await runPlanted(t, {
    'a-fails': "test('is told', () => { throw new Error(`no device\\n${'a line\\n'.repeat(50)}the last line`); });",
    'b-passes': fine,
  });
  const [, first = '', second = ''] = printed.split('✖ is told');
  for (const told of [first, second])
    assert.match(told, new RegExp(`^ \\(${folder}/a-fails\\.test\\.ts:3\\)\\n.*no device\\n`, 'u'));
  assert.match(first, /the last line/u);
  assert.doesNotMatch(second, /the last line/u);
  assert.match(second, /\n {2}… \d+ more lines above\ntests: 1 passed, 1 failed, 0 skipped\n/u);
});

test('[RP20] a file that cannot be loaded fails by its name, and the others run', async (t) => {
  const printed = await runPlanted(t, {
    'a-throws': `${fine}\nthrow new Error('no such device');`,
    'b-imports-nothing': "import './missing.ts';",
    'c-passes': fine,
  });
  assert.match(printed, new RegExp(`✖ ${folder}/a-throws\\.test\\.ts cannot be loaded`, 'u'));
  assert.match(printed, new RegExp(`✖ ${folder}/b-imports-nothing\\.test\\.ts cannot be loaded`, 'u'));
  assert.match(printed, /no such device/u);
  assert.match(printed, /tests: 2 passed, 2 failed, 0 skipped/u);
});

test('[RP20] a process that tells of no test fails', async (t) => {
  const printed = await runPlanted(t, { 'a-is-empty': '', 'b-is-empty': '' });
  assert.match(printed, /✖ no test was run of .*a-is-empty\.test\.ts, .*b-is-empty\.test\.ts/u);
  assert.match(printed, /tests: 0 passed, 1 failed, 0 skipped/u);
});

for (const code of [0, 3]) {
  test(`[RP20] a test that ends the process with ${code} is named, with the files of the process`, async (t) => {
    const printed = await runPlanted(t, {
      'a-passes': fine,
      'b-ends': `${hidden}\ntest('leaves', () => itself.exit(${code}));`,
      'c-is-lost': fine,
    });
    for (const name of ['a-passes', 'b-ends', 'c-is-lost']) assert.ok(printed.includes(`${folder}/${name}.test.ts`));
    assert.match(printed, /ended before all its tests were done, in: leaves$/mu);
    assert.match(printed, /1 failed, 0 skipped/u);
  });
}

test('[RP20] a process that is killed is told, with its files', async (t) => {
  const printed = await runPlanted(t, {
    'a-dies': `${hidden}
test('dies', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  itself.kill(itself.pid, 'SIGKILL');
});`,
    'b-is-lost': fine,
  });
  assert.match(printed, new RegExp(`the last test that it told of is dies \\(${folder}/a-dies\\.test\\.ts\\)`, 'u'));
  for (const name of ['a-dies', 'b-is-lost']) assert.ok(printed.includes(`    ${folder}/${name}.test.ts`));
  assert.match(printed, /SIGKILL/u);
  assert.match(printed, /tests: 0 passed, 1 failed, 0 skipped/u);
});

const rejecting = `test('forgets a promise', async () => {
  await Promise.resolve();
  void Promise.reject(new Error('not waited for'));
  await new Promise((resolve) => setTimeout(resolve, 50));
});`;
const throwing = `test('throws later', async () => {
  await Promise.resolve();
  setTimeout(() => { throw new Error('too late'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
});`;

test('[RP20] an error that no test catches fails the test that it comes from', async (t) => {
  const printed = await runPlanted(t, { 'a-rejects': rejecting, 'b-throws': throwing, 'c-passes': fine });
  assert.match(
    printed,
    new RegExp(`✖ forgets a promise \\(${folder}/a-rejects\\.test\\.ts:3\\)\\n.*not waited for`, 'u'),
  );
  assert.match(printed, new RegExp(`✖ throws later \\(${folder}/b-throws\\.test\\.ts:3\\)\\n.*too late`, 'u'));
  assert.match(printed, /tests: 1 passed, 2 failed, 0 skipped/u);
});

test('[RP20] in a long file such an error fails the test or the file, and its stack is told', async (t) => {
  const [file = ''] = longFiles;
  for (const [text, message] of Object.entries({ [rejecting]: 'not waited for', [throwing]: 'too late' })) {
    const printed = await runPlantedFiles(t, { [file]: `${text}\n${fine}` });
    assert.match(printed, new RegExp(`Error: ${message}\\n\\s+at .*${file}:\\d+`, 'u'));
    assert.match(printed, /[12] passed, 1 failed, 0 skipped/u);
  }
  const early = await runPlantedFiles(t, { [file]: `${fine}\nthrow new Error('at once');` });
  assert.match(early, /at once/u);
  assert.match(early, /1 failed, 0 skipped/u);
  const alone = await runPlantedFiles(t, { [file]: "void Promise.reject(new Error('before any test'));" });
  assert.match(alone, /before any test/u);
  assert.match(alone, /0 passed, 1 failed, 0 skipped/u);
});

test('[RP20] an error that comes after its test has ended fails the process', async (t) => {
  const printed = await runPlanted(t, {
    'a-leaves': "test('leaves a timer', () => void setTimeout(() => { throw new Error('much too late'); }, 20));",
    'b-passes': "test('waits', () => new Promise((resolve) => setTimeout(resolve, 200)));",
  });
  assert.match(printed, /"leaves a timer"[^]*much too late/u);
  assert.match(printed, /a process failed that test files share/u);
  assert.match(printed, /tests: 2 passed, 1 failed, 0 skipped/u);
});

test('[RP20] a test that waits for ever is ended and named, and the others run', async (t) => {
  const files = {
    'a-hangs': "test('waits for ever', () => new Promise((resolve) => setTimeout(resolve, 5000)));",
    'b-passes': fine,
  };
  const printed = await runPlanted(t, files, { ...patient, test: 2000 });
  assert.match(printed, new RegExp(`✖ waits for ever \\(${folder}/a-hangs\\.test\\.ts:3\\)\\n.*timed out`, 'u'));
  assert.match(printed, /tests: 1 passed, 1 failed, 0 skipped/u);
});

test('[RP36] a process that hangs is ended with what it started, and its test is named', async (t) => {
  if (readProcesses().length === 0) return t.skip('this system lists no processes in /proc');
  const files = {
    'a-hangs': `const { spawn } = await import('node:child_process');
test('waits for a program', (_, done) => {
  const program = spawn(${JSON.stringify(process.execPath)}, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.error(\`started \${program.pid}\`);
});`,
    'b-is-lost': fine,
  };
  const printed = await runPlanted(t, files, { ...patient, standstill: 4000 });
  assert.match(printed, /ended, since neither it nor what it started did anything for 4 s: /u);
  assert.match(printed, /the last test that it told of is waits for a program/u);
  assert.match(printed, /1 failed, 0 skipped/u);
  const started = Number(/started (\d+)/u.exec(printed)?.[1]);
  assert.equal(readProcesses().find(({ pid }) => pid === started)?.command ?? '', '', 'the program has ended');
});

test('[RP20] a process that something keeps from ending after its tests is ended, and fails', async (t) => {
  const printed = await runPlanted(t, {
    'a-leaves-a-timer': `${hidden}
test('leaves a timer', () => {
  itself.env.LOOM_LONGEST_END = '200';
  setInterval(() => {}, 1000);
});`,
    'b-passes': fine,
  });
  assert.match(printed, /did not end after its tests, since something was left open: .*Timeout/u);
  assert.match(printed, /tests: 2 passed, 1 failed, 0 skipped/u);
});
