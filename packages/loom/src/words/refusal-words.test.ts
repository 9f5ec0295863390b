import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { kernelOperations, refuse } from '@loom/kernel';
import { refusalSamples } from '@loom/kernel/testing';
import { StoreError } from '@loom/kernel/store';
import { isGroup } from '../command-line/command.ts';
import { ROOT } from '../command-line/commands.ts';
import { LoomError } from '../command-line/failure.ts';
import { suggestingFor } from '../command-line/suggested-command.ts';
import { asFailure } from './failures.ts';
import { orFail, refusalError } from './refusal-error.ts';
import { wordRefusal } from './refusal-words.ts';
import type { Surroundings } from './refusal-words.ts';

const surroundings: Surroundings[] = [
  {},
  { text: { name: 'node-3', word: 'x2sv/node-3' } },
  { conversation: { root: 'root-1', title: 'Birds' } },
  { candidates: [['x2sv/node-3', 'Birds']] },
  { operation: 'node.append' },
  { isChat: true },
];

test('[RF3] every refusal has plain words at the command line: what happened, and what to do', () => {
  for (const sample of refusalSamples()) {
    for (const around of surroundings) {
      const words = wordRefusal(sample, around);
      const { what } = words;
      const { advice = 'None.' } = new LoomError('refused', what, words);
      const said = `${JSON.stringify(sample)} ${JSON.stringify(around)}: ${what} | ${advice}`;
      assert.match(what, /^[a-z@].{7,}[^.]$/su, said);
      assert.match(advice, /^(?:[A-Z]|loom |root-1|node-3).{3,}$/su, said);
      assert.doesNotMatch(`${what} ${advice}`, /undefined|\[object|NaN|\bblock\.(?:read|edit|list|history)/u, said);
    }
  }
});

test('[RF3] what was not found may have been meant as a conversation; operations are told to take ids in full', () => {
  const notFound = (node: string, operation?: string): string => {
    const around = operation === undefined ? {} : { operation };
    const { what, advice } = wordRefusal({ reason: 'node-not-found', node }, around);
    return `${what}. ${advice}`;
  };
  assert.match(notFound('zzz'), /no conversation or node zzz\. loom tree lists them\.$/u);
  assert.match(notFound('node-9'), /no node node-9/u);
  assert.match(notFound('7k2m/node-9'), /no node 7k2m/u);
  assert.match(notFound('node-9', 'node.get'), /ids in full: root-…\/node-3\.$/u);
});

test('[RF3] every reason that an operation names has words at the command line', () => {
  const samples = refusalSamples();
  for (const { name, refusals } of kernelOperations) {
    for (const reason of refusals) {
      const sample = samples.find((other) => other.reason === reason) ?? assert.fail(`${name}: ${reason}`);
      assert.ok(wordRefusal(sample).what.length > 0);
    }
  }
});

test('[RF3] a failure of the command has the fields of the refusal', () => {
  const refused = refuse({ reason: 'bookmarked', nodes: ['root-1/node-3'] });
  const isSo = (error: unknown): boolean => {
    assert.ok(error instanceof LoomError);
    assert.deepEqual([error.code, error.details], ['bookmarked', fieldsOf(refused.refusal)]);
    assert.match(error.advice ?? '', /loom bookmark remove root-1\/node-3/u);
    return true;
  };
  assert.throws(() => orFail(refused), isSo);
  const conversation = { root: 'root-1', title: 'Birds' };
  const { details } = refusalError({ reason: 'nothing-to-undo', which: 'undo' }, { conversation });
  assert.deepEqual(details, { root: 'root-1', which: 'undo' });
});

function fieldsOf({ reason: _reason, ...fields }: { reason: string }): Record<string, unknown> {
  return fields;
}

test('[RF4] the kernel refuses with data: no refusal of it holds a sentence or names a command', () => {
  const folder = join(import.meta.dirname, '../../../kernel/src');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gmsu, '');
    for (const [call] of source.matchAll(/\brefuse\((?:[^()]|\([^()]*\))*\)/gu)) {
      for (const [literal] of call.matchAll(/'[^'\n]*'|`[^`]*`/gu))
        assert.ok(!literal.includes(' '), `${file}: ${call}`);
    }
  }
});

test('[RF5] no package below the command names one: what is thrown and refused says as data what would help', () => {
  const names = (isGroup(ROOT) ? ROOT.subcommands : []).map(({ name }) => name).join('|');
  for (const name of ['blocks', 'kernel', 'sync', 'stores', 'node-files', 'data-folder', 'exchange']) {
    const folder = join(import.meta.dirname, '../../..', name, 'src');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('testing')) continue;
      const source = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gmsu, '');
      // A log is hashed behind the name of its kind.
      assert.doesNotMatch(source, new RegExp(`\\bloom (?:${names})\\b(?! 1\\\\n)`, 'u'), `${name}/${file}`);
    }
  }
  const gone = new StoreError('store-corrupt', 'a log is gone', 'Restore a backup.', { remedy: 'examine' });
  const failure = suggestingFor('/x', () => asFailure(gone));
  assert.ok(failure instanceof LoomError);
  assert.equal(failure.advice, 'Restore a backup. To examine it: loom doctor --data-dir /x');
});

test('[FC33] no text of the command spells a command by itself, so that each names the data folder that was given', () => {
  const commands = (isGroup(ROOT) ? ROOT.subcommands : []).map(({ name }) => name).filter((name) => name !== 'help');
  // Descriptions of parameters, and commands with their own folder, database or environment, are not for the given folder.
  const spelled = new RegExp(
    `(?<!EDITOR=nano )\\bloom (?:${commands.join('|')})\\b(?![\\w -]*(?: needs| has|--help|--data-dir|--store))`,
    'u',
  );
  const folder = join(import.meta.dirname, '..');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('testing')) continue;
    // Help is the same whatever the data folder.
    if (/^command-line\/(?:(?:[a-z]+-)?commands|help)\.ts$|^mcp\/client-setups\.ts$/u.test(file)) continue;
    const source = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gmsu, '');
    for (const line of source.split('\n')) assert.doesNotMatch(line, spelled, file);
  }
});
