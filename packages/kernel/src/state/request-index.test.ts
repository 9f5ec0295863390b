import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestIndex } from './request-index.ts';

test('[LO18] of a hundred thousand requests each is found with its change, and no other', () => {
  const index = new RequestIndex();
  const agents = ['person', 'demo:demo', 'loom:queue'];
  const name = (number: number): [agent: string, request: string] => [
    agents[number % agents.length] ?? '',
    `01K0000000000000000${String(number).padStart(7, '0')}`,
  ];
  for (let number = 1; number <= 100_000; number += 1) index.note(...name(number), number);
  for (let number = 1; number <= 100_000; number += 1) assert.equal(index.find(...name(number)), number);
  for (let number = 100_001; number <= 200_000; number += 1) assert.equal(index.find(...name(number)), undefined);
});

test('[LO18] a request is another one under another agent', () => {
  const index = new RequestIndex();
  index.note('a', 'b\nc', 1);
  index.note('x', '', 2);
  assert.deepEqual([index.find('a', 'b\nc'), index.find('x', ''), index.find('', 'x')], [1, 2, undefined]);
});
