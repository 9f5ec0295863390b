import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentName } from '../conversation/agent-name.ts';
import { authoredText, authorShares } from './authored-text.ts';

const shown = (...versions: [agent: string, text: string][]): string =>
  authoredText(versions.map(([agent, text]) => ({ agent, text })))
    .map(({ agent, text }) => `${agent}:${text}`)
    .join('|');

test('[WB66] each word is of the agent in whose version it first stood', () => {
  assert.equal(shown(['model', 'one two three']), 'model:one two three');
  assert.equal(shown(['model', 'one two three'], ['jo', 'one 2 three']), 'model:one |jo:2|model: three');
  assert.equal(
    shown(['model', 'one two three'], ['jo', 'one 2 three'], ['ann', 'one 2 three four']),
    'model:one |jo:2|model: three|ann: four',
  );
  assert.equal(shown(['model', 'one'], ['jo', ''], ['model', 'one']), 'model:one');
  assert.equal(shown(), '');
});

test('[WB66] the shares of all authors are told, the largest first', () => {
  const shares = authorShares([
    { agent: 'jo', text: 'ab' },
    { agent: 'model', text: 'abcdef' },
  ]);
  assert.deepEqual(shares, [
    { agent: 'model', percent: 75 },
    { agent: 'jo', percent: 25 },
  ]);
  assert.equal(agentName('jo', 'jo'), 'You');
  assert.equal(agentName('demo:terse', 'jo'), 'terse');
});
