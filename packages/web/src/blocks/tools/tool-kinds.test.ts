import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolsWithViews } from '@loom/blocks/views';
import { groupWords, toolKindOf, toolLine } from './tool-kinds.ts';

test('[WB20] a call is told by what it does and what it is about, whatever its agent calls it', () => {
  const line = (name: string, parameters: unknown, written?: string): string => {
    const { kind, verb, argument } = toolLine(name, parameters, written);
    return `${kind}: ${verb} ${argument}`.trim();
  };
  assert.equal(line('Bash', { command: 'npm test', description: 'tests' }), 'command: Run npm test');
  assert.equal(line('shell', { command: ['bash', '-lc', 'ls'] }), 'command: Run ls');
  assert.equal(line('Read', { file_path: 'src/a.ts' }), 'read: Read src/a.ts');
  assert.equal(line('Write', { file_path: 'a', content: 'x' }), 'change: Write a');
  assert.equal(line('Grep', { pattern: 'x|y', path: 'src' }), 'find: Find x|y');
  assert.equal(line('WebFetch', { url: 'https://example.org' }), 'web: Fetch https://example.org');
  assert.equal(line('Task', { description: 'Count', prompt: 'long' }), 'agent: Sub-agent Count');
  assert.equal(line('mcp__gauges__query', { station: 'Brest', n: 3 }), 'other: gauges.query Brest');
  assert.equal(
    line('mcp__x__Bash', { command: 'ls' }),
    'other: x.Bash ls',
    'a tool of another server is not the known one',
  );
  assert.equal(line('search', { pattern: 'TODO', path: 'src' }), 'find: Find TODO');
  assert.equal(line('fetch_url', { url: 'https://example.org' }), 'web: Fetch https://example.org');
  assert.equal(line('weather', {}), 'other: weather');
  assert.equal(line('Bash', null), 'command: Run');
});

test('[WB20] arguments that still arrive are told as far as they can be read', () => {
  assert.equal(toolLine('edit_file', {}, '{"file_path": "src/fore').argument, 'src/fore');
  assert.equal(toolLine('Bash', {}, '{"command":"echo \\"a\\"\\nls').argument, 'echo "a" ls');
  assert.equal(toolLine('Bash', {}, '{"comm').argument, '');
  assert.equal(toolLine('weather', {}, '{"city": "Li').argument, 'Li');
});

test('[WB20] every tool that has a view is of a known kind', () => {
  assert.deepEqual(
    toolsWithViews.filter((name) => toolKindOf(name) === 'other'),
    [],
  );
});

test('[WB21] several calls are counted in words', () => {
  assert.equal(groupWords('read', 'Read', 6), 'Read 6 files');
  assert.equal(groupWords('command', 'Run', 3), 'Ran 3 commands');
  assert.equal(groupWords('other', 'weather', 4), 'weather, 4 times');
});
