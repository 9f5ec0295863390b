import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { request } from '../../testing/writer.ts';
import { readDamagedLogFile } from './damaged-log.ts';
import { rewriteDamagedLogFile } from './rewrite-logs.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

/** The damage to a line: its number from the front, and the kind. */
const damage = fc.tuple(fc.nat(12), fc.constantFrom('flip', 'cut', 'remove', 'empty', 'split', 'bytes'));

test('[FS25] whatever has happened to the lines of a file, each that is whole is read, and the rest stands in the places between', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), fc.boolean(), async (damages, isNoted) => {
      const { path, open } = temporaryStore(t);
      const store = await open();
      let [epoch, seq]: [string | undefined, number] = [undefined, 0];
      for (const length of [1, 3, 1, 2, 1]) {
        const texts = Array.from({ length }, (_, index) => `text ${seq + index + 1}, ümlaut`);
        const result = await store.append('a', request(epoch, seq, texts));
        assert.ok(result.ok);
        [epoch, seq] = [result.epoch, seq + length];
      }
      await store.close();
      const file = join(path, 'a', 'log.jsonl');
      const whole = readFileSync(file, 'latin1').split('\n').slice(0, -1);
      const lines = damages.reduce((left, [number, how]) => hurt(left, number % left.length, how), whole);
      writeFileSync(file, `${lines.join('\n')}\n`, 'latin1');
      if (!isNoted) rmSync(`${file}.acknowledged`);

      const found = await readDamagedLogFile(path, 'a');
      const untouched = whole.flatMap((line, index) => (index > 0 && lines.includes(line) ? [index] : []));
      for (const intact of untouched) {
        assert.equal(found.records.find((record) => record.seq === intact)?.text, `text ${intact}, ümlaut`);
      }
      const isSeen = isNoted || lines.includes(whole.at(-1) ?? '');
      if (isSeen) assert.equal(found.lastSeq, seq);
      const seqs = found.records.map((record) => record.seq);
      assert.deepEqual(
        seqs,
        [...new Set(seqs)].toSorted((a, b) => a - b),
      );
      assert.equal(seqs.at(-1) ?? 0, found.lastSeq);
      if (found.lastSeq === 0) return;

      await rewriteDamagedLogFile(path, found);
      const again = await open();
      const contents = await again.read('a', 0);
      assert.deepEqual(contents?.records, found.records);
      assert.notEqual(contents?.epoch, epoch);
      assert.ok((await again.append('a', request(contents?.epoch, found.lastSeq, ['on']))).ok);
      await again.close();
    }),
    { numRuns: 60 },
  );
});

function hurt(lines: readonly string[], at: number, how: string): string[] {
  const line = lines[at] ?? '';
  switch (how) {
    case 'flip':
      return lines.with(at, `${line.slice(0, 30)}#${line.slice(31)}`);
    case 'cut':
      return lines.with(at, line.slice(0, 40));
    case 'remove':
      return lines.length > 1 ? lines.toSpliced(at, 1) : [...lines];
    case 'empty':
      return lines.with(at, '');
    case 'split':
      return lines.toSpliced(at, 1, line.slice(0, 25), line.slice(25));
    default:
      return lines.with(at, '\u00ff\u00fe\u0000');
  }
}
