import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../checks/testing/planted-repository.ts';
import { sampleNumber, sampleOfCommit } from './sample.ts';

test('[RP21] each commit chooses other samples, the same each time; without git there is a fixed number, and one that is set counts', (t) => {
  assert.equal(sampleOfCommit('0000000a9f0b6e8f25f4e5ce6b7f6a9a2b1c3d4e\n'), '10');
  assert.equal(sampleOfCommit(''), '0');
  const elsewhere = temporaryDirectory(t);
  const set = process.env['LOOM_SAMPLE'];
  t.after(() => Object.assign(process.env, set === undefined ? {} : { LOOM_SAMPLE: set }));
  delete process.env['LOOM_SAMPLE'];
  assert.equal(sampleNumber(elsewhere), '0');
  process.env['LOOM_SAMPLE'] = '7';
  assert.equal(sampleNumber(elsewhere), '7');
  delete process.env['LOOM_SAMPLE'];
});
