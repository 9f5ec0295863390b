import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherAtWork } from './other-at-work.ts';
import type { RowAtWork } from './other-at-work.ts';

const row: RowAtWork = { id: 't1', root: 'other', provider: 'codex', state: 'running', directory: '/code/tides' };
const find = (rows: RowAtWork[], folder = '/code/tides', root?: string) => otherAtWork(rows, { folder, root })?.title;

test('[WB685] an agent that works in the same folder, in one above or in one below it is found, also while it waits', () => {
  assert.equal(find([row]), 'Codex');
  assert.equal(find([{ ...row, state: 'waiting', directory: '/code' }]), 'Codex');
  assert.equal(find([{ ...row, directory: '/code/tides/src' }]), 'Codex');
  assert.equal(find([{ ...row, provider: 'claude-code', followed: true }]), 'Claude Code');
});

test('[WB685] models, turns that have ended, the conversation itself and other folders are left out', () => {
  assert.equal(find([{ ...row, provider: 'anthropic' }]), undefined);
  assert.equal(find([{ ...row, state: 'done' }]), undefined);
  assert.equal(find([row], '/code/tides', 'other'), undefined);
  assert.equal(find([{ ...row, directory: '/code/tides-2' }]), undefined);
  assert.equal(find([{ id: 't2', root: 'r', provider: 'codex', state: 'running' }]), undefined);
});
