import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toldApart } from './told-apart.ts';

const apart = (...names: string[]): string[] => toldApart(names.map((name) => ({ name })));

test('[LM37] names that begin alike show the part in which they differ, in any order', () => {
  const names = ['Work on bead spotter-a0y. Run bd show', 'Something else', 'Work on bead spotter-0zw. Run bd show'];
  assert.deepEqual(apart(...names), names, 'they differ early enough to be seen');
  assert.deepEqual(
    apart('You are a careful engineer. Fix the parser', 'Tides', 'You are a careful engineer. Fix the plots'),
    ['You are … parser', 'Tides', 'You are … plots'],
  );
  assert.deepEqual(
    apart('Read the file and tell me what it says', 'Read the file and tell me what it says. Then stop'),
    ['Read the … says', 'Read the … says. Then stop'],
  );
});

test('[LM37] names that are the same are told apart by their hints, if these differ', () => {
  const name = 'Review the current code changes';
  const hinted = (...hints: (string | undefined)[]) => toldApart(hints.map((hint) => ({ name, hint })));
  assert.deepEqual(hinted('main', 'fix-plots', undefined), [`main: ${name}`, `fix-plots: ${name}`, name]);
  assert.deepEqual(hinted('main', 'main'), [name, name]);
});
