import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleText } from './rule-line.ts';

test('[WB236] a rule is told in a line of plain words', () => {
  const told = (rule: Parameters<typeof ruleText>[0]): string => ruleText(rule);
  assert.equal(
    told({ tool: 'shell', command: 'npm test *', effect: 'allow' }),
    'Run npm test with any arguments, as one command',
  );
  assert.equal(told({ tool: 'shell', command: 'git status', effect: 'allow' }), 'Run git status, exactly so');
  assert.equal(told({ tool: 'shell', command: '*', effect: 'ask' }), 'Run any command');
  assert.equal(told({ tool: 'edit', path: 'docs/**', effect: 'allow' }), 'Change docs/**');
  assert.equal(told({ tool: 'fetch_url', host: 'example.org', effect: 'deny' }), 'Fetch pages from example.org');
  assert.equal(told({ tool: 'todo', effect: 'allow' }), 'Use todo with any arguments');
});
