import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('[OP16] only what looks after a data folder reaches past the table of operations', () => {
  const source = import.meta.dirname;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing'))
    .map((name) => name.replaceAll('\\', '/'));
  const past = files.filter((name) =>
    /\bengine\s*\.(?:forest|blocks)\b/u.test(readFileSync(join(source, name), 'utf8')),
  );
  const lookingAfter = /^runtime\/|^words\/purge-words\.ts$|\/(?:doctor|doctor-database|du|purge)\.ts$/u;
  assert.deepEqual(
    past.filter((name) => !lookingAfter.test(name)),
    [],
  );
});
