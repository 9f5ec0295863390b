import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findKeys, maskSecret } from './known-keys.ts';

/** Made up, and put together here, so that no scanner takes them for real ones. */
const tail = 'a1B2c3D4e5F6g7H8i9J0k1L2';

test('[KY1] keys of well-known services are found in a text, each once', () => {
  const keys = ['sk-', 'sk-ant-api03-', 'sk-proj-', 'AIza', 'ghp_', 'github_pat_', 'gsk_', 'hf_', 'xoxb-'].map(
    (beginning) => beginning + tail,
  );
  const aws = `AKIA${'Q7'.repeat(8)}`;
  for (const key of [...keys, aws]) {
    assert.deepEqual(findKeys(`use ${key}, please. Once more: "${key}"`), [key]);
    assert.deepEqual(findKeys(key), [key]);
  }
  assert.deepEqual(findKeys(`${keys[0]}\n${keys[4]}`), [keys[0], keys[4]]);
});

test('[KY1] words, names and short beginnings are no keys', () => {
  for (const text of [
    'Ask for sk-learn-contrib-extras-and-more',
    'keys begin with sk-ant- or AIza',
    'a risk-1234567890123456 of rain',
    'git push origin ghp_branch',
    'sk-12',
  ]) {
    assert.deepEqual(findKeys(text), [], text);
  }
});

test('[KY2] a masked key shows its ends alone', () => {
  assert.equal(maskSecret(`sk-${tail}`), 'sk-…k1L2');
  assert.equal(maskSecret('short'), '…');
});
