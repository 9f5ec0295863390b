import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolInfo } from '../../models/model-answers.ts';
import { switchGroup, toolGroups, toolTokens } from './tool-groups.ts';

function tool(name: string, more: Partial<ToolInfo> = {}): ToolInfo {
  const offered = more.why_not === undefined;
  return { name, description: '', parameters: {}, group: 'other', effect: 'reads', offered, ...more };
}

const read = tool('read', { group: 'files' });
const edit = tool('edit', { group: 'files', effect: 'changes', why_not: 'switched-off' });
const patch = tool('apply_patch', { group: 'files', effect: 'changes', why_not: 'other-model' });
const shell = tool('shell', { group: 'shell', effect: 'runs', why_not: 'no-folder' });
const ask = tool('ask');
const date = tool('current_date');
const tools = [ask, date, edit, patch, read, shell];

test('[WB230] tools stand in groups; what a model cannot have is left out, what lacks a folder says so', () => {
  const told = toolGroups(tools).map(({ name, tools: inside, isOn, hindrance }) => [
    name,
    inside.map((one) => one.name).join(' '),
    isOn,
    hindrance,
  ]);
  assert.deepEqual(told, [
    ['Read and search files', 'read', true, undefined],
    ['Change files', 'edit', false, undefined],
    ['Run commands', 'shell', false, 'needs a folder'],
    ['Ask me, keep a plan', 'ask', true, undefined],
    ['Other tools', 'current_date', true, undefined],
  ]);
});

test('[WB230] a switch takes the tools of its group, keeps the others, and those that wait for a folder', () => {
  const find = (name: string) => toolGroups(tools).find((group) => group.name === name);
  const [change, reading] = [find('Change files'), find('Read and search files')];
  assert.ok(change !== undefined && reading !== undefined);
  assert.deepEqual(switchGroup(tools, change, true).sort(), ['ask', 'current_date', 'edit', 'read', 'shell']);
  assert.deepEqual(switchGroup(tools, reading, false).sort(), ['ask', 'current_date', 'shell']);
});

test('[WB230] only tools that are on are counted in tokens', () => {
  const long = { description: 'x'.repeat(4000) };
  assert.equal(toolTokens([tool('a', long), tool('b', { ...long, why_not: 'switched-off' })]), 1011);
});
