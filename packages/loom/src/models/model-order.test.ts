import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankModels } from './model-order.ts';

function ranked(text: string): { current: string; older: string } {
  const all = rankModels(text.split(' '));
  const names = (isOlder: boolean): string =>
    all
      .filter((one) => one.isOlder === isOlder)
      .map(({ model }) => model)
      .join(' ');
  return { current: names(false), older: names(true) };
}

test('[MO26] of each line of models the highest version is current, and the newest comes first', () => {
  assert.deepEqual(
    ranked(
      'claude-2 claude-3-5-haiku-latest claude-haiku-4-5 claude-opus-4-8 claude-opus-5 claude-sonnet-4-0 claude-v1',
    ),
    {
      current: 'claude-opus-5 claude-haiku-4-5 claude-sonnet-4-0',
      older: 'claude-opus-4-8 claude-3-5-haiku-latest claude-2 claude-v1',
    },
  );
  assert.deepEqual(
    ranked('gemini-1.5-pro gemini-2.5-pro gemini-3.1-pro-preview gemini-flash-1.5-8b gemini-3.10-flash'),
    {
      current: 'gemini-3.10-flash gemini-3.1-pro-preview',
      older: 'gemini-2.5-pro gemini-1.5-pro gemini-flash-1.5-8b',
    },
  );
});

test('[MO26] dates and sizes are no versions; two generations behind its family, a line is older', () => {
  assert.deepEqual(
    ranked('gpt-4-turbo gpt-4o gpt-4o-2024-05-13 gpt-6-sol gpt-5.5 gpt-oss-120b gpt-oss-20b gpt-latest'),
    {
      current: 'gpt-6-sol gpt-5.5 gpt-latest gpt-oss-120b gpt-oss-20b',
      older: 'gpt-4-turbo gpt-4o gpt-4o-2024-05-13',
    },
  );
  assert.deepEqual(ranked('x/kimi-k2 x/kimi-k2.6 x/kimi-k3 x/kimi-k2-0905 y/command-r7b-12-2024'), {
    current: 'x/kimi-k3 y/command-r7b-12-2024',
    older: 'x/kimi-k2.6 x/kimi-k2 x/kimi-k2-0905',
  });
});
