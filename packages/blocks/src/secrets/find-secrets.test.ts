import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear, countWork } from '../testing/counted-work.ts';
import { findSecrets, maskFound, withoutSecrets } from './find-secrets.ts';
import { secretRules } from './secret-rules.ts';
import { falseSamples, trueSamples } from './testing/secret-samples.ts';

test('[SX1] 200 secrets of all kinds are found where people and programs write them, each whole and once', () => {
  const samples = trueSamples();
  assert.ok(samples.length >= 200, `${samples.length} samples`);
  for (const { text, secret, kind } of samples) {
    const found = findSecrets(text);
    const words = `${kind}: ${text}`;
    assert.deepEqual(
      found.map(({ start, end }) => text.slice(start, end)),
      [secret],
      words,
    );
    if (kind !== undefined) assert.equal(found[0]?.kind, kind, words);
  }
  const kinds = new Set(samples.map(({ kind }) => kind));
  for (const { kind } of secretRules) assert.ok(kinds.has(kind), `no sample of ${kind}`);
});

test('[SX2] 500 texts that look like secrets, and are none, are left alone', () => {
  const samples = falseSamples();
  assert.ok(samples.length >= 500, `${samples.length} samples`);
  for (const text of samples) {
    assert.deepEqual(
      findSecrets(text).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`),
      [],
      text,
    );
  }
});

test('[SX4] dots stand in the place of secrets, also inside of JSON and HTML, and everything else stays', () => {
  for (const { text, secret } of trueSamples()) {
    for (const written of [text, JSON.stringify({ text }), `<pre>${text.replaceAll('"', '&quot;')}</pre>`]) {
      const inside = text === written || !written.startsWith('{') ? secret : JSON.stringify(secret).slice(1, -1);
      const found = findSecrets(written);
      assert.equal(
        withoutSecrets(written, found),
        written.replace(inside, () => '••••'),
        written,
      );
      for (const each of found) assert.ok(maskFound(written, each).length <= 8);
    }
  }
  assert.equal(withoutSecrets('nothing', []), 'nothing');
});

test('[SX3] texts made to keep a search busy are gone over in work that grows with their length alone', () => {
  for (const piece of [
    'sk-',
    'token=',
    '://a:',
    'eyJ',
    'eyJa.',
    '-----BEGIN PRIVATE KEY-----',
    'key: "',
    'a',
    '=',
    'xoxb-1-',
    'authorization: bearer ',
  ]) {
    const half = countWork(() => findSecrets(piece.repeat(2_000)));
    assertLinear(
      half,
      countWork(() => findSecrets(piece.repeat(4_000))),
      piece,
    );
  }
});
