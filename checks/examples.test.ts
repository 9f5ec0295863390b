import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExamples } from './examples.ts';
import { cleanFile, plantRepository } from './testing/planted-repository.ts';

const readme = cleanFile('README.md');

async function judge(t: test.TestContext, planted: Readonly<Record<string, string>>): Promise<string[]> {
  const findings = await checkExamples(plantRepository(t, planted));
  return findings.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

test('[CK18] an example that does not do what it says is found at its line', async (t) => {
  const [finding = '', ...others] = await judge(t, { 'README.md': readme.replace("'Hello Ada'", "'Good day'") });
  assert.equal(others.length, 0);
  assert.match(finding, /^README\.md:7 the example fails: AssertionError/u);
});

test('[CK18] an example with a type error is found at its line, beside one that runs', async (t) => {
  const fence = (code: string): string => `\`\`\`ts\n${code}\n\`\`\`\n\n`;
  const guide = `# Guide\n\n${fence('export const one = 1;')}Text.\n\n${fence('const two: string = 2;\nconsole.log(two);')}`;
  const [finding = '', ...others] = await judge(t, { 'docs/guides/first steps.md': guide });
  assert.equal(others.length, 0);
  assert.match(finding, /^docs\/guides\/first steps\.md:10 TS2322/u);
});

test('[CK18] an example that imports what does not exist, or exits otherwise, is found', async (t) => {
  const [missing = ''] = await judge(t, { 'README.md': readme.replace('@loom/blocks', '@loom/nothing') });
  assert.match(missing, /^README\.md:5 TS2307/u);
  for (const fence of ['```ts', '```typescript', '```TS title="exit"', '  ```ts']) {
    const [exit = ''] = await judge(t, { 'README.md': `${fence}\nprocess.exit(3);\n\`\`\`\n` });
    assert.match(exit, /^README\.md:1 the example fails/u, fence);
  }
});

test('[CK18] an example that ends the process early does not keep those after it from being run', async (t) => {
  const guide = '```ts\nprocess.exit(0);\n```\n\n```ts\nthrow new Error("second");\n```\n';
  const [finding = '', ...others] = await judge(t, { 'README.md': guide });
  assert.equal(others.length, 0);
  assert.match(finding, /^README\.md:6 the example fails: Error: second/u);
});

test('[CK18] records of decisions and other languages are left alone', async (t) => {
  const text = '```ts\nthrow new Error();\n```\n';
  const planted = {
    'docs/decisions/0001-old.md': text,
    'docs/guide.md': text.replace('ts', 'js'),
    'CONTRIBUTING.md': text,
  };
  assert.deepEqual(await judge(t, planted), []);
});
