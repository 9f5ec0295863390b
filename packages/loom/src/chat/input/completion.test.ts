import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeLine } from './completion.ts';

const known = {
  commands: ['fork', 'model', 'quit'],
  argumentsOf: (name: string) => (name === 'fork' ? ['node-1', 'node-12'] : []),
};

test('[CH33] Tab completes slash commands, and what they take; a message is left alone', () => {
  assert.deepEqual(completeLine('/', known), { word: '/', candidates: ['/fork ', '/model ', '/quit '] });
  assert.deepEqual(completeLine('/mo', known), { word: '/mo', candidates: ['/model '] });
  assert.deepEqual(completeLine('/fork node-1', known), { word: 'node-1', candidates: ['node-1', 'node-12'] });
  assert.deepEqual(completeLine('/fork ', known).candidates, ['node-1', 'node-12']);
  assert.deepEqual(completeLine('/quit x', known).candidates, []);
  for (const line of ['hello', '//fo', 'a /fork', '/fork node-1 2']) {
    assert.deepEqual(completeLine(line, known).candidates, [], line);
  }
});
