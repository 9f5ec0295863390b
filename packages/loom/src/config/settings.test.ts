import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TomlTable } from 'smol-toml';
import { findProblems } from './problems.ts';
import { ELEMENT_NAMES, isSecret, SETTINGS, todaysSpelling, type Setting } from './settings.ts';

/** A file with one setting, in an element that has its name where one is needed. */
function fileWith({ path }: Setting, value: TomlTable[string]): TomlTable {
  const [first = '', ...rest] = path.map((part) => (part === '*' ? 'some' : part));
  const nameField = ELEMENT_NAMES.get(first);
  if (nameField === undefined) return nest([first, ...rest], value);
  const element = nest(rest.slice(1), value);
  return { [first]: [nameField in element ? element : { [nameField]: 'some', ...element }] };
}

function nest(path: readonly string[], value: TomlTable[string]): TomlTable {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

const SAMPLES = {
  text: { good: ['', 'x'], bad: [1, ['x'], {}] },
  secret: { good: ['x'], bad: [['x'], {}] },
  number: { good: [0, 0.5, 2], bad: ['1', -1, true] },
  count: { good: [1, 1024], bad: ['1', 0, -5, true] },
  store: { good: ['sqlite', 'files'], bad: ['', 'database', 1, {}] },
  list: { good: [[], ['a', 'b']], bad: ['a', [1], {}] },
  truth: { good: [true, false], bad: ['true', 1, {}] },
  command: { good: ['pass show key', ['pass', 'show', 'key']], bad: [[], [1], 1, {}] },
  reasoning: { good: ['off', 'max', 2048], bad: ['much', 0, true, {}] },
  compaction: { good: ['auto', 'ask', 'off'], bad: ['', 'always', true, {}] },
  'provider-kind': { good: ['anthropic', 'compatible'], bad: ['', 'claude', 1, {}] },
  'thought-form': { good: ['none', 'reasoning_content'], bad: ['', 'thinking', true, {}] },
};

test('[CF16] the schema takes what each known setting is said to be, and nothing else', () => {
  for (const setting of SETTINGS) {
    const { good, bad } = SAMPLES[setting.kind];
    for (const value of good) {
      assert.deepEqual(
        findProblems(fileWith(setting, value)),
        [],
        `${setting.path.join('.')} = ${JSON.stringify(value)}`,
      );
    }
    for (const value of bad) {
      const [problem] = findProblems(fileWith(setting, value));
      assert.ok(problem, `${setting.path.join('.')} takes ${JSON.stringify(value)}`);
    }
  }
});

test('[CF16] every known setting is spelled in its own way, and secrets are known as such', () => {
  for (const { path, kind } of SETTINGS) {
    const last = path.at(-1) ?? '';
    if (last === '*') continue;
    assert.equal(todaysSpelling(path.slice(0, -1), last), last);
    assert.equal(todaysSpelling(path.slice(0, -1), last.toUpperCase()), last);
    assert.equal(isSecret(path), kind === 'secret');
  }
  assert.equal(isSecret(['mcp_servers', 'x', 'env', 'HOME']), true);
  assert.equal(isSecret(['foreign', 'accessToken']), true);
  assert.equal(isSecret(['credentials', 'mail']), true);
  assert.equal(isSecret(['foreign', 'colour']), false);
  assert.equal(isSecret(['providers', 'keycloak', 'region']), false);
});
