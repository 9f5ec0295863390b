import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSpec } from './spec.ts';
import { plantRepository } from './testing/planted-repository.ts';

const rules = '- **BL1** One.\n- **BL2** Two.\n- **BL3** Three.\n';

function judge(t: test.TestContext, tests: string, spec = rules): string[] {
  const root = plantRepository(t, {
    'docs/spec/blocks.md': spec,
    'packages/blocks/src/greeting.test.ts': `import { test } from 'node:test';\n${tests}`,
  });
  return checkSpec(root).map(({ file, line, message }) => `${file.split('/').at(-1)}:${line} ${message}`);
}

test('[CK11] several rules may be cited by one title, and tests may be made in a loop', (t) => {
  const tests = "test('[BL1] [BL2] both', () => {});\nfor (const n of [1]) test(`[BL2, BL3] number ${n}`, () => {});\n";
  assert.deepEqual(judge(t, tests), []);
});

test('[CK11] rules without a test, tests without a rule and citations of no rule are found', (t) => {
  const tests = "test('[BL1] [BL9] x', () => {});\ntest('works', () => {});\ntest('[BL2] y', () => {});\n";
  assert.deepEqual(judge(t, tests), [
    'greeting.test.ts:2 there is no rule BL9 in docs/spec/',
    "greeting.test.ts:3 start the title with the rule that it shows, such as '[XX1] works'",
    'blocks.md:3 rule BL3 has no test; write one whose title starts with [BL3]',
  ]);
});

test('[CK11] a rule defined twice or written otherwise is found; one inside a code fence is none', (t) => {
  const spec = '- **BL1** One.\n* **BL2** Two.\n- **BL1** Again.\n- **BL3**\n\n```md\n- **BL9** An example.\n```\n';
  assert.deepEqual(judge(t, "test('[BL1] [BL2] [BL3] x', () => {});\n", spec), [
    'blocks.md:2 write the rule as "- **BL2** One sentence."',
    'blocks.md:3 BL1 is defined in docs/spec/blocks.md:1 already; give this rule its own number',
    'blocks.md:4 write the rule as "- **BL3** One sentence."',
  ]);
});

test('[CK12] a title that is computed from its start is found', (t) => {
  const tests =
    "test('[BL1, BL2, BL3] x', () => {});\ntest(title, () => {});\ntest(`${rule} x`, () => {});\ntest('[BL1] long ' + 'title', () => {});\n";
  assert.deepEqual(
    judge(t, tests).map((finding) => finding.split(' ')[0]),
    ['greeting.test.ts:3', 'greeting.test.ts:4'],
  );
});

test('[CK12] tests that are switched off or singled out for good are found, those that may run are not', (t) => {
  const tests = [
    "test.skip('[BL1] a', () => {});",
    "test.only('[BL2] b', () => {});",
    "test('[BL3] c', { todo: true }, () => {});",
    "test('[BL3] d', { skip: 'slow' }, () => {});",
    "test('[BL3] e', { skip: corpus === undefined }, () => {});",
    "test('[BL3] f', { skip: false }, () => {});",
    "test('[BL3] g', { 'skip': `slow` }, () => {});",
    "test.describe.skip('a group', () => {});",
    "test.suite('a group', { only: true }, () => {});",
    "test.describe('a group that runs', () => {});",
  ].join('\n');
  assert.deepEqual(
    judge(t, tests).map((finding) => finding.split(':')[1]?.slice(0, 14)),
    [
      '2 take `skip` ',
      '3 take `only` ',
      '4 take `todo` ',
      '5 take `skip` ',
      '8 take `skip` ',
      '9 take `skip` ',
      '10 take `only`',
    ],
  );
});

test('[CK12] a test without a body and one in a file that is not run are found', (t) => {
  const tests = "test('[BL1] [BL2] x');\ntest('[BL2] y', { concurrency: 5 });\ntest('[BL3] z', body);\n";
  assert.deepEqual(
    judge(t, tests).map((finding) => finding.slice(0, 39)),
    ['greeting.test.ts:2 give the test a body', 'greeting.test.ts:3 give the test a body'],
  );
  const root = plantRepository(t, {
    'packages/blocks/src/other.test.mjs': "import { test } from 'node:test';\ntest('[BL1] x', () => {});\n",
  });
  assert.match(checkSpec(root)[0]?.message ?? '', /^move the test to a file named \*\.test\.ts/u);
});

test('[CK11] titles are read wherever node:test is imported, under whatever name', (t) => {
  const root = plantRepository(t, {
    'packages/blocks/src/testing/contract.ts':
      "import { it as check } from 'node:test';\nexport const contract = () => check('no rule', () => {});\n",
    'packages/blocks/src/word.ts': "export const test = (word: string) => word;\ntest('is no test of node:test');\n",
    'packages/blocks/src/namespace.test.ts':
      "import * as all from 'node:test';\nall.test('no rule', () => {});\nall.mock.fn(/x/u.test('x'));\n",
    'packages/blocks/src/standard.test.ts':
      "import check from 'node:test';\ncheck['it']('no rule', () => {});\ncheck.after(() => {});\n",
  });
  assert.deepEqual(
    checkSpec(root).map(({ file, line }) => `${file.slice('packages/blocks/src/'.length)}:${line}`),
    ['namespace.test.ts:2', 'standard.test.ts:2', 'testing/contract.ts:2'],
  );
});
