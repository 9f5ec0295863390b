import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBrowserClean } from './browser-clean.ts';
import { manifest, plantRepository, writeFiles } from './testing/planted-repository.ts';

/** Plants the entry of a package without node:, with the libraries it uses; returns the messages. */
async function judge(
  t: test.TestContext,
  entry: string,
  libraries: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const root = plantRepository(t, { 'packages/blocks/src/index.ts': entry });
  writeFiles(root, libraries);
  const findings = await checkBrowserClean(root);
  for (const { file } of findings) assert.equal(file, 'packages/blocks/src/index.ts');
  return findings.map(({ message }) => message);
}

test('[CK15] what browsers have may be used, at the top level too', async (t) => {
  const entry = `const bytes: Uint8Array = new TextEncoder().encode(new URL('https://a.test/ä').href);
export const size: number = structuredClone(bytes).length;
const { greet } = await import('./greeting.ts');
console.log('loaded');
if (typeof process !== 'undefined' || greet('x') === '') throw new Error('not a browser');
`;
  assert.deepEqual(await judge(t, entry), []);
});

test('[CK15] a module of Node is refused, also when it is imported late', async (t) => {
  const refusal = 'packages/blocks/src/index.ts imports "node:fs": a browser has no modules of Node';
  assert.deepEqual(await judge(t, "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n"), [
    refusal,
  ]);
  assert.deepEqual(await judge(t, "export const { readFileSync } = await import('node:fs');\n"), [refusal]);
});

test("[CK15] a global of Node is found, in the package's own files and in libraries", async (t) => {
  const [own = ''] = await judge(t, "export const bytes =\n  Buffer.from('x');\n");
  assert.match(own, /^ReferenceError: Buffer is not defined \(packages\/blocks\/src\/index\.ts:2\)/u);
  const [foreign = ''] = await judge(t, "export * from 'library';\n", {
    'node_modules/library/package.json': manifest({ name: 'library', exports: './index.js' }),
    'node_modules/library/index.js': 'export const debug = process.env.DEBUG;\n',
  });
  assert.match(foreign, /^ReferenceError: process is not defined \(node_modules\/library\/index\.js:1\)/u);
});

test('[CK15] every entry is loaded, and one that is missing is found', async (t) => {
  const root = plantRepository(t, {
    'packages/blocks/package.json': manifest({
      name: '@loom/blocks',
      exports: { '.': './src/index.ts', './a': './src/a.ts', './b': './src/b.ts' },
    }),
    'packages/blocks/src/a.ts': "import 'node:fs';\n",
  });
  const findings = await checkBrowserClean(root);
  assert.deepEqual(
    findings.map(({ file }) => file),
    ['packages/blocks/src/b.ts', 'packages/blocks/src/a.ts'],
  );
});

test('[CK16] a library is taken as browsers get it, by condition, pattern or the older fields', async (t) => {
  const entry = `import { by as condition } from 'conditions';
import { by as pattern } from 'conditions/features/one.js';
import { by as field } from '@scope/older';
if (\`\${condition} \${pattern} \${field}\` !== 'browser import module') throw new Error(\`\${condition} \${pattern} \${field}\`);
`;
  const by = (name: string): string => `export const by = '${name}';\n`;
  const node = "import 'node:fs';\n";
  assert.deepEqual(
    await judge(t, entry, {
      'node_modules/conditions/package.json': manifest({
        name: 'conditions',
        exports: {
          '.': { node: './node.js', browser: { require: './node.js', default: './browser.js' }, default: './node.js' },
          './*': './node.js',
          './features/*.js': { types: './x.d.ts', import: './features/*.mjs' },
        },
      }),
      'node_modules/conditions/node.js': node,
      'node_modules/conditions/browser.js': by('browser'),
      'node_modules/conditions/features/one.mjs': by('import'),
      'node_modules/@scope/older/package.json': manifest({ name: '@scope/older', module: 'es.js', main: 'node.js' }),
      'node_modules/@scope/older/es.js': by('module'),
      'node_modules/@scope/older/node.js': node,
    }),
    [],
  );
});

test('[CK16] a library with nothing for browsers is found, and so is one that is not installed', async (t) => {
  const nodeOnly = {
    'node_modules/server-only/package.json': manifest({ name: 'server-only', exports: { node: './index.js' } }),
  };
  assert.deepEqual(await judge(t, "import 'server-only';\n", nodeOnly), ['server-only has no entry "." for browsers']);
  const [missing = ''] = await judge(t, "import 'nowhere';\n");
  assert.match(missing, /^nowhere is not installed/u);
});
