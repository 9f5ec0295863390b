import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { checkHygiene } from './hygiene.ts';
import { manifest, plantRepository } from './testing/planted-repository.ts';

// Put together here, so that this file is clean itself.
const machinePath = ['', 'root', 'project', 'a.ts'].join('/');
const homePath = ['', 'home', 'kim', 'project'].join('/');
const registry = ['registry', 'npmjs', 'org'].join('.');
const disable = ['oxlint', 'disable-next-line'].join('-');
const unformatted = ['prettier', 'ignore'].join('-');
const tag = ['@', 'public'].join('');

function judge(t: test.TestContext, planted: Readonly<Record<string, string>>): string[] {
  const findings = checkHygiene(plantRepository(t, planted));
  return findings.map(({ file, line, message }) => `${file}:${line ?? ''} ${message.split(/[;:,]/u)[0]}`);
}

test('[CK19] paths of one machine are found, those of examples and inside other paths are not', (t) => {
  const lines = [
    'fine',
    `open('${machinePath}')`,
    `see ${homePath}/notes`,
    `import 'file://${machinePath}'`,
    '/home/user/notes',
    'tree/root/leaf and https://a.test/work/b',
  ];
  assert.deepEqual(judge(t, { 'docs/notes.md': lines.join('\n') }), [
    'docs/notes.md:2 this path exists on one machine only',
    'docs/notes.md:3 this path exists on one machine only',
    'docs/notes.md:4 this path exists on one machine only',
  ]);
});

test('[CK19] hosts of registries and what switches other checks off are found', (t) => {
  const planted = {
    '.npmrc': 'registry = https://npm.example.test\n',
    'docs/a.md': `https://${registry}/x\n`,
    'scripts/a.ts': `// ${disable}\n// ${unformatted}\n/** ${tag} */\n/**\n * ${tag}\n */\n`,
    '.prettierignore': 'scripts\n',
  };
  assert.deepEqual(judge(t, planted), [
    '.npmrc:1 leave the registry to the machine that installs',
    '.prettierignore: delete it',
    'docs/a.md:1 leave the registry to the machine that installs',
    'scripts/a.ts:1 meet the rule instead of switching it off',
    'scripts/a.ts:2 meet the rule instead of switching it off',
    'scripts/a.ts:3 take the tag away',
    'scripts/a.ts:5 take the tag away',
  ]);
});

test('[CK19] version ranges are found in every package.json; peers may have them', (t) => {
  const fields = {
    name: '@loom/blocks',
    dependencies: { a: '^1.0.0', b: '1.0.0', c: '2.0.0-beta.1' },
    devDependencies: { d: 'latest' },
    optionalDependencies: { e: '1.x' },
    peerDependencies: { f: '>=1' },
  };
  assert.deepEqual(judge(t, { 'packages/blocks/package.json': manifest(fields) }), [
    'packages/blocks/package.json: pin a to one exact version instead of "^1.0.0"',
    'packages/blocks/package.json: pin d to one exact version instead of "latest"',
    'packages/blocks/package.json: pin e to one exact version instead of "1.x"',
  ]);
});

test('[CK30] a comment that begins with a question word is found', (t) => {
  const lines = [
    '/** #What is kept. */',
    '  // #Whether it is kept.',
    '/** The texts that are kept, and what they say. */',
    '// Which of them? See below.',
  ];
  const root = plantRepository(t, { 'packages/blocks/src/a.ts': lines.join('\n').replaceAll('#', '') });
  assert.deepEqual(
    checkHygiene(root).map(({ line }) => line),
    [1, 2],
  );
});

test('[CK24] a test that takes the time, sleeps, or has a time-out of its own, is found; sources and benches may take it', (t) => {
  // Not as they are, since they would be found here.
  const lines = [
    'const start = performance#.now();',
    'const before = process#.cpuUsage();',
    '  { timeout#: 20_000 },',
    "test('x', { timeout#: 60_000 }, async (t) => {",
    "await page.locator('x').click({ timeout#: 1000 });",
    'new DatabaseSync(path, { timeout#: 10_000 });',
    'await page.waitForTimeout#(300);',
    'assert.ok(Date#.now() - start < 500);',
    'fetch(url, { signal: AbortSignal#.timeout(500) });',
    'new DatabaseSync(path, { timeout: 600_000 });',
    'const longAgo = Date.now() - 86_400_000;',
    'await page.waitForTimeout(patience);',
  ].map((line) => line.replace('#', ''));
  const text = `${lines.join('\n')}\n`;
  const planted = {
    'packages/blocks/src/slow.test.ts': text,
    'packages/blocks/src/slow.ts': text,
    'bench/slow.ts': text,
  };
  const found = checkHygiene(plantRepository(t, planted)).map(({ file, line }) => `${file}:${line}`);
  assert.deepEqual(
    found,
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => `packages/blocks/src/slow.test.ts:${line}`),
  );
});

test('[CK21] ignored files and recorded fixtures are left alone, new files are not', (t) => {
  const root = plantRepository(t, {
    '.gitignore': 'node_modules\nlocal.md\n',
    'local.md': machinePath,
    'new.md': machinePath,
    'packages/blocks/fixtures/session.jsonl': machinePath,
  });
  execFileSync('git', ['init', '--quiet'], { cwd: root, env: { PATH: process.env['PATH'] } });
  // As in a hook of another repository.
  const elsewhere = plantRepository(t);
  process.env['GIT_DIR'] = `${elsewhere}/.git`;
  t.after(() => delete process.env['GIT_DIR']);
  assert.deepEqual(
    checkHygiene(root).map(({ file }) => file),
    ['new.md'],
  );
});

test('[CK21] where git gives no answer, the files on the disk count', (t) => {
  assert.deepEqual(judge(t, { '.git': 'of another user', 'new.md': machinePath }), [
    'new.md:1 this path exists on one machine only',
  ]);
});

test('[CK20] a lock file that names a registry or leaves optional packages out is found', (t) => {
  const entry = { version: '1.0.0', optionalDependencies: { '@tool/darwin-arm64': '1.0.0' } };
  const lock = manifest({
    packages: {
      'node_modules/tool': entry,
      'node_modules/other': { version: '1.0.0', resolved: `https://${registry}/other.tgz` },
    },
  });
  assert.deepEqual(judge(t, { 'package-lock.json': lock }), [
    'package-lock.json:11 the file ties everybody to one registry',
    'package-lock.json: npm ci will refuse it',
  ]);
});

test('[CK23] a folder of a package with more than 25 files is found, and so is a source of more than 500 lines', (t) => {
  const files = (folder: string, count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/part-${index}.ts`, 'export {};\n']));
  const planted = {
    ...files('packages/blocks/src/filled', 25),
    ...files('packages/blocks/src/full', 26),
    'packages/blocks/src/long.ts': '// a line\n'.repeat(501),
    'packages/blocks/src/long.css': '/* a line */\n'.repeat(501),
    'packages/blocks/src/just.ts': '// a line\n'.repeat(500),
    'docs/long.md': 'a line\n'.repeat(501),
  };
  assert.deepEqual(judge(t, planted), [
    'packages/blocks/src/long.css: split it',
    'packages/blocks/src/long.ts: split it',
    'packages/blocks/src/full: give it rooms',
  ]);
});
