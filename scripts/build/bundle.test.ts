import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import { openSqliteStore } from '@loom/stores/sqlite';
import { type Owner, temporaryDirectory, writeFiles } from '../../checks/testing/planted-repository.ts';
import { runNode } from '../../checks/tool.ts';
import type { BuiltFile } from './bundle.ts';
import { bundle } from './bundle.ts';

const repository = join(import.meta.dirname, '../..');
const sources = join(repository, 'packages/loom/src/main.ts');

test('[BD1] the bundle answers as the sources do', async () => {
  const { folder } = await bundleOfRepository();
  const main = join(folder, 'main.mjs');
  const data = ['--data-dir', join(folder, 'data')];
  for (const words of [
    ['-p', 'hello'],
    ['--continue', '-p', 'hello again'],
  ]) {
    const said = await runNode([main, 'chat', '-m', 'demo:echo', ...words, ...data], folder);
    assert.equal(said.code, 0, said.stderr);
  }
  for (const words of [['--help'], ['--version', '--json'], ['nonsense'], ['tree'], ['search', 'h[ae]llo']]) {
    const answer = await runNode([main, ...words, ...data], folder);
    assert.notEqual(answer.stdout + answer.stderr, '');
    assert.deepEqual(answer, await runNode([sources, ...words, ...data], folder));
  }
});

test('[BD1] the threads of the bundle write and search', async () => {
  const { folder } = await bundleOfRepository();
  const grown = join(folder, 'grown');
  const archive = join(folder, 'archive');
  await growForest(grown);
  const loom = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await runNode([join(folder, 'main.mjs'), ...words], folder);
    assert.equal(code, 0, stderr);
  };
  await loom('search', 'hello 17', '--data-dir', grown);
  assert.ok(existsSync(join(grown, 'loom.db-search')), 'only a thread makes the index');
  await loom('export-store', archive, '--data-dir', grown);
  await loom('import-store', archive, '--data-dir', join(folder, 'imported'));
});

test('[BD1] no part of the bundle imports its program, which would be waiting for that part', async () => {
  const { files } = await bundleOfRepository();
  const texts = files.filter(({ name }) => name.endsWith('.mjs')).map(({ content }) => content.toString());
  assert.ok(texts.length > 1 && texts.some((text) => text.includes('import("./')));
  assert.deepEqual(
    texts.filter((text) => /["']\.\/main\.mjs["']/u.test(text)),
    [],
  );
});

test('[BD11] a command that neither edits texts nor searches loads neither engine, and none loads the server', async () => {
  const { files } = await bundleOfRepository();
  const contents = textsByName(files);
  const enginesFor = (part: string): string[] => {
    const loaded = loadedWith(part, contents);
    const texts = [...loaded].map((name) => contents.get(name) ?? assert.fail(`there is no ${name}`));
    return ['yjs', 're2js', 'hono'].filter((engine) =>
      texts.some((text) => text.includes(`// node_modules/${engine}/`)),
    );
  };
  for (const part of ['main.mjs', 'bookmark.mjs', 'ls.mjs', 'tree.mjs', 'chat.mjs'])
    assert.deepEqual(enginesFor(part), [], part);
  const engines = ['open-text.mjs', 'query.mjs', 'serve.mjs'].map((part) => enginesFor(part));
  assert.deepEqual(engines, [['yjs'], ['re2js'], ['hono']]);
});

test('[BD12] what commands need together is one file, and no two files import each other', async () => {
  const { files } = await bundleOfRepository();
  const contents = textsByName(files);
  const most = { 'main.mjs': 4, 'writer-worker.mjs': 4, 'ls.mjs': 12, 'tree.mjs': 12 };
  for (const [part, limit] of Object.entries(most)) {
    const loaded = [...loadedWith(part, contents)];
    assert.ok(loaded.length <= limit, `${part} loads ${loaded.join(', ')}`);
  }
  const scripts = [...contents.keys()].filter((name) => name.endsWith('.mjs'));
  const inCircles = scripts.filter((name) =>
    importsOf(name, contents).some((other) => loadedWith(other, contents).has(name)),
  );
  assert.deepEqual(inCircles, []);
});

test('[BD1] the script of a thread is a part of the bundle and runs there', async (t) => {
  const root = plantSources(t, {
    'main.ts': `import { Worker } from 'node:worker_threads';
new Worker(new URL('./a-thread.ts', import.meta.url)).on('message', (text: string) => console.log(text));`,
    'a-thread.ts': `import { parentPort } from 'node:worker_threads';
import { words } from './words.ts';
parentPort?.postMessage(words);`,
    'words.ts': `export const words: string = 'from a thread';`,
  });
  const { folder } = await bundleInto(t, root);
  assert.deepEqual(await runNode([join(folder, 'main.mjs')], '/'), { code: 0, stdout: 'from a thread\n', stderr: '' });
});

test('[BD9] a stack trace names the lines of the sources', async (t) => {
  const root = plantSources(t, {
    'main.ts': `import { fail } from './fail.ts';\n\ninterface Unseen {}\nfail();\n`,
    'fail.ts': `interface Unseen {\n  name: string;\n}\n\nexport function fail(): void {\n  throw new Error('planted');\n}\n`,
  });
  const { folder } = await bundleInto(t, root);
  const { stderr } = await runNode(['--enable-source-maps', join(folder, 'main.mjs')], '/');
  assert.ok(stderr.includes(`at fail (${join(root, 'packages/loom/src/fail.ts')}:6:9)`), stderr);
  assert.ok(stderr.includes(`${join(root, 'packages/loom/src/main.ts')}:4:1`), stderr);
});

test('[BD10] what would mean something else in a bundle is refused: other uses of import.meta, imports of nothing', async (t) => {
  const refused = {
    'console.log(import.meta.dirname);': /uses import\.meta/u,
    "new URL('./data.json', import.meta.url);": /uses import\.meta/u,
    "console.log(await import('./nothing.ts'));": /nothing\.ts/u,
    "console.log(await import('no-such-library'));": /no-such-library/u,
  };
  for (const [text, reason] of Object.entries(refused)) {
    await assert.rejects(bundle(plantSources(t, { 'main.ts': text }), '/nowhere'), { message: reason }, text);
  }
});

function textsByName(files: readonly BuiltFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ name, content }) => [name, content.toString()]));
}

/** Returns the files that are loaded when one is imported, itself included; not those imported on demand. */
function loadedWith(part: string, contents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const loaded = new Set([part]);
  for (const name of loaded) for (const imported of importsOf(name, contents)) loaded.add(imported);
  return loaded;
}

function importsOf(name: string, contents: ReadonlyMap<string, string>): string[] {
  const text = contents.get(name) ?? assert.fail(`there is no ${name}`);
  return [...text.matchAll(/^(?:import|export)\b.*["']\.\/([^"']+)["'];?$/gmu)].map(([, imported = '']) => imported);
}

/** Grows so many conversations that a search starts threads, one of them so long that a thread has to write it. */
async function growForest(directory: string): Promise<void> {
  let last = 0;
  const ids = { next: () => String((last += 1)) };
  const clock = { now: Date.now, after: () => () => {} };
  const store = await openSqliteStore({ directory });
  const tools = new BlockTools({ forest: new Forest({ store, clock, ids }), ids });
  const texts = Array.from({ length: 50 }, (_, n) => `hello ${n}`);
  for (const content of [...texts, 'long'.repeat(300_000)]) {
    await tools.create({ agent: 'person', id: ids.next() }, { role: 'user', kind: 'text', content });
  }
  await store.close();
}

/** A checkout whose loom package has these sources and nothing else. */
function plantSources(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = join(temporaryDirectory(t), 'checkout');
  for (const [name, text] of Object.entries(files)) writeFiles(root, { [`packages/loom/src/${name}`]: text });
  return root;
}

const ends: (() => void)[] = [];
after(() => ends.forEach((end) => end()));

let whole: ReturnType<typeof bundleInto> | undefined;

/** Returns the bundle of the repository, made once for all tests, since it takes seconds. */
function bundleOfRepository(): ReturnType<typeof bundleInto> {
  whole ??= bundleInto({ after: (hook) => void ends.push(hook) }, repository);
  return whole;
}

async function bundleInto(t: Owner, root: string): Promise<{ folder: string; files: BuiltFile[] }> {
  const folder = join(temporaryDirectory(t), 'built');
  mkdirSync(folder);
  const files = await bundle(root, folder);
  for (const { name, content } of files) writeFileSync(join(folder, name), content);
  return { folder, files };
}
