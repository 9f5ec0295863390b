import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { checkWords, parseCommandLine } from './arguments.ts';
import type { Command, CommandLeaf } from './command.ts';
import { UsageError } from './failure.ts';
import { nearest } from '@loom/blocks/nearest-word';

const load: CommandLeaf['load'] = () => assert.fail('must not be loaded');
const SHOW: CommandLeaf = {
  name: 'show',
  summary: 'Shows',
  parameters: [{ name: 'node', summary: 'a node' }],
  options: [{ name: 'depth', short: 'd', value: 'n', summary: 'How deep' }],
  load,
};
const TABLE: Command = {
  name: 'loom',
  summary: 'Loom',
  options: [
    { name: 'json', summary: 'JSON' },
    { name: 'data-dir', value: 'dir', summary: 'Folder' },
    { name: 'version', short: 'V', summary: 'Version' },
  ],
  subcommands: [SHOW, { name: 'tree', summary: 'Trees', subcommands: [{ ...SHOW, name: 'prune' }] }],
};

function understand(line: string): {
  command: string;
  words: readonly string[];
  options: Record<string, string | true>;
} {
  const { chain, words, options } = parseCommandLine(line === '' ? [] : line.split(' '), TABLE);
  return { command: chain.map(({ name }) => name).join(' '), words, options: Object.fromEntries(options) };
}

function refusalOf(line: string): UsageError {
  try {
    const { chain, words } = parseCommandLine(line.split(' '), TABLE);
    const leaf = chain.at(-1);
    assert.ok(leaf !== undefined && 'load' in leaf);
    checkWords(chain, leaf, words);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  return assert.fail(`understood: ${line}`);
}

test('[LM6] options may stand anywhere, before or after the command', () => {
  const expected = {
    command: 'loom tree prune',
    words: ['x'],
    options: { json: true, 'data-dir': 'tree', depth: '2' },
  };
  for (const line of [
    '--json --data-dir tree tree prune x --depth 2',
    'tree --json prune --data-dir=tree -d 2 x',
    'tree prune x -d2 --json --data-dir tree',
  ]) {
    assert.deepEqual(understand(line), expected, line);
  }
  assert.deepEqual(understand('--data-dir a show x --data-dir b').options, { 'data-dir': 'b' });
});

test('[LM6] a value may begin with a dash, as long as it does not look like an option', () => {
  const values = ['- an item', '-', '-1', '---'];
  for (const value of values) {
    const { options } = parseCommandLine(['show', 'x', '--data-dir', value], TABLE);
    assert.deepEqual(Object.fromEntries(options), { 'data-dir': value });
  }
  for (const value of ['--json', '-V']) {
    assert.throws(() => parseCommandLine(['show', 'x', '--data-dir', value], TABLE), UsageError);
  }
});

test('[LM6] what follows -- is taken as it is', () => {
  assert.deepEqual(understand('show --json -- --depth'), {
    command: 'loom show',
    words: ['--depth'],
    options: { json: true },
  });
  assert.deepEqual(understand('show -- -- -1').words, ['--', '-1']);
  assert.deepEqual(understand('-- show x'), { command: 'loom show', words: ['x'], options: {} });
  assert.deepEqual(understand('show -').words, ['-']);
});

test('[LM5] an unknown command or option is refused with the nearest known one', () => {
  assert.match(refusalOf('shwo x').message, /^loom has no command "shwo"/);
  assert.equal(refusalOf('shwo x').advice, 'Did you mean loom show?');
  assert.equal(refusalOf('tree prnue').advice, 'Did you mean loom tree prune?');
  assert.equal(refusalOf('prune x').advice, 'Did you mean loom tree prune?');
  assert.equal(refusalOf('quite-different').advice, 'See loom --help for the commands.');
  assert.equal(refusalOf('show x --jsno').advice, 'Did you mean --json?');
  assert.equal(refusalOf('show x -v').advice, 'Did you mean -V?');
  assert.equal(refusalOf('--depht 3 show x').code, 'unknown-command');
  assert.match(refusalOf('show -1').advice ?? '', /-- -1$/);
  assert.match(refusalOf('show x -q').advice ?? '', /loom show --help/);
  assert.match(refusalOf('show x --__proto__').message, /no option --__proto__/);
});

test('[LM5] the nearest word is a few keys away, or begins the same way', () => {
  const words = ['config', 'show', 'search', 'set', 'unset'];
  assert.equal(nearest('confg', words), 'config');
  assert.equal(nearest('CONFIG', words), 'config');
  assert.equal(nearest('ocnfig', words), 'config');
  assert.equal(nearest('conf', words), 'config');
  assert.equal(nearest('st', words), 'set');
  assert.equal(nearest('xyz', words), undefined);
  assert.equal(nearest('', words), undefined);
  assert.equal(nearest('c'.repeat(100_000), words), undefined);
});

test('[LM7] an option that needs a value is refused without one; a switch is refused with one', () => {
  for (const line of [
    'show x --data-dir',
    'show x --data-dir=',
    'show x --data-dir --json',
    'show --json=yes x',
    'show x -d',
  ]) {
    assert.equal(refusalOf(line).code, 'bad-option', line);
  }
  assert.equal(refusalOf('show x --data-dir -odd').advice, 'If that is what you mean, write --data-dir=-odd');
  assert.deepEqual(understand('show x --data-dir=-odd').options, { 'data-dir': '-odd' });
  assert.deepEqual(understand('show x --data-dir -').options, { 'data-dir': '-' });
});

test('[LM8] a word that may be left out is not missing, and stands in brackets', () => {
  const leaf = {
    ...SHOW,
    parameters: [...(SHOW.parameters ?? []), { name: 'file', summary: 'a file', isOptional: true }],
  };
  const chain = [TABLE, leaf];
  for (const words of [['x'], ['x', 'y']]) assert.doesNotThrow(() => checkWords(chain, leaf, words));
  assert.throws(() => checkWords(chain, leaf, ['x', 'y', 'z']), /does not take "z"/);
  assert.throws(() => checkWords(chain, leaf, []), { advice: 'Usage: loom show <node> [file]' });
});

test('[LM8] missing and surplus words are refused by name', () => {
  assert.equal(refusalOf('show').code, 'missing-argument');
  assert.equal(refusalOf('show').message, 'loom show needs <node>, a node');
  assert.equal(refusalOf('show x y').code, 'unexpected-argument');
  assert.match(refusalOf('show x y').message, /"y"/);
  assert.ok(refusalOf(`show x ${'y'.repeat(1000)}`).message.length < 120);
});

test('[LM5] [LM8] any command line is understood or refused as a usage error', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'show',
      'tree',
      'prune',
      '--json',
      '--data-dir',
      '-d',
      '-V',
      '--',
      '-',
      '--json=1',
      '-dV',
      '--no-json',
      '=',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (args) => {
      try {
        parseCommandLine(args, TABLE);
      } catch (error) {
        assert.ok(error instanceof UsageError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});
