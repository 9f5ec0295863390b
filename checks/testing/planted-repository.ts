import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

const repository = join(import.meta.dirname, '../..');

/** Ends with what is made for it: a test, or a whole file. */
export interface Owner {
  after: (hook: () => void) => void;
}

/** A directory that is gone after the test. Its name has a space, which every path of a developer may have. */
export function temporaryDirectory(t: Owner): string {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'loom test '));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes files by their relative paths and makes the folders they need. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/**
 * A small repository that passes all checks, with this one's own settings, and then whatever a test plants in it: files by
 * relative path, which replace those of the same name.
 */
export function plantRepository(t: TestContext, planted: Readonly<Record<string, string>> = {}): string {
  const root = temporaryDirectory(t);
  writeFiles(root, { ...cleanFiles, ...planted });
  const settings = [
    '.oxlintrc.json',
    '.oxfmtrc.json',
    'tsconfig.base.json',
    'tsconfig.json',
    'tsconfig.pure.json',
    'knip.json',
  ];
  for (const file of settings) if (planted[file] === undefined) copyFileSync(join(repository, file), join(root, file));
  mkdirSync(join(root, 'node_modules/@loom'), { recursive: true });
  for (const name of ['@types', 'undici-types']) {
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
  }
  for (const name of ['blocks', 'kernel', 'sync', 'stores']) {
    symlinkSync(join('../../packages', name), join(root, 'node_modules/@loom', name));
  }
  return root;
}

/** The text of one of the clean files, to plant a changed version of it. */
export function cleanFile(path: string): string {
  return cleanFiles[path] ?? readFileSync(join(repository, path), 'utf8');
}

export function manifest(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

const cleanFiles: Readonly<Record<string, string>> = {
  'package.json': manifest({
    name: 'planted',
    private: true,
    workspaces: ['packages/*'],
    type: 'module',
    devDependencies: { '@types/node': '26.6.6' },
  }),
  'package-lock.json': manifest({ lockfileVersion: 3, packages: {} }),
  'ARCHITECTURE.md': `# Architecture

| package | may import | third party | \`node:\` |
| --- | --- | --- | --- |
| blocks | – | zod | no |
| kernel | blocks | – | no |
| sync | blocks, kernel (types only) | – | no |
| stores, providers | blocks, kernel | what each needs | yes |
| loom | all but sync | what it needs | yes |
`,
  'README.md': `# Planted

\`\`\`ts
import assert from 'node:assert/strict';
import { greet } from '@loom/blocks';

assert.equal(greet('Ada'), 'Hello Ada');
\`\`\`
`,
  'docs/spec/blocks.md': '# Blocks\n\n- **BL1** A greeting names whom it greets.\n',
  'packages/blocks/package.json': manifest({
    name: '@loom/blocks',
    type: 'module',
    exports: { '.': './src/index.ts' },
  }),
  'packages/blocks/exports.snap.txt': '@loom/blocks\n  Greeting type\n  greet value\n',
  'packages/blocks/src/index.ts':
    "export type { Greeting } from './greeting.ts';\nexport { greet } from './greeting.ts';\n",
  'packages/blocks/src/greeting.ts': `export type Greeting = string;

export function greet(name: string): Greeting {
  return \`Hello \${name}\`;
}
`,
  'packages/blocks/src/greeting.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from './greeting.ts';

test('[BL1] greets by name', () => {
  assert.equal(greet('Ada'), 'Hello Ada');
});
`,
};
