import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageBlock } from '@loom/blocks';
import { findCorpus, runs } from '@loom/blocks/testing/corpus';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { createStreamReader } from './stream/stream-reader.ts';
import { typedIn, visibleIn } from './testing/visible-bytes.ts';
import { createTranscriptReader } from './transcript-reader.ts';

const corpus = findCorpus('claude-code-sessions');
const streams = findCorpus('cli-streams');

function filesIn(directory: string, ending: RegExp): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

test('[CC28] real transcripts of all versions are read whole', { skip: !corpus.found && corpus.reason }, () => {
  assert.ok(corpus.found);
  // Every run reads the same subset.
  const step = runs(3, 1);
  const files = filesIn(corpus.directory, /\.jsonl$/).filter((_, index) => index % step === 0);
  let [visible, typed, lines] = [0, 0, 0];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const reader = createTranscriptReader();
    const often = createTranscriptReader();
    const [forest, grown] = [new ItemForest(), new ItemForest()];
    let seen = 0;
    let count = 0;
    for (const line of text.split('\n')) {
      reader.push(line);
      often.push(line);
      seen += visibleIn(line);
      count += 1;
      if (count % 7 === 0) grown.apply(often.take());
    }
    reader.end();
    forest.apply(reader.take());
    grown.apply(often.take());
    const { read, used, raw, reported } = reader.tally.counts;
    assert.deepEqual([read, used + raw + reported], [count, count], file);
    assert.equal(JSON.stringify(grown.value), JSON.stringify(forest.value), file);
    for (const { blocks } of forest.nodes.values())
      for (const { block } of blocks) assert.ok(messageBlock.safeParse(block).success, file);
    const found = typedIn(forest);
    // Two small files were made to be odd: ids that stand for many lines, a debugger's log.
    if (seen > 100_000) assert.ok(found >= 0.99 * seen, `${found} of ${seen} characters: ${file}`);
    visible += seen;
    typed += found;
    lines += count;
  }
  assert.ok(lines > 2000 && typed >= 0.99 * visible, `${typed} of ${visible} characters in ${lines} lines`);
});

test('[CC28] real streams of the command are read whole', { skip: !streams.found && streams.reason }, () => {
  assert.ok(streams.found);
  let messages = 0;
  for (const file of filesIn(join(streams.directory, 'claude'), /\.(?:jsonl|json|md)$/)) {
    const reader = createStreamReader();
    for (const line of readFileSync(file, 'utf8').split('\n')) reader.push(line);
    reader.end();
    const forest = new ItemForest();
    forest.apply(reader.take());
    const { read, used, raw, reported } = reader.tally.counts;
    assert.equal(read, used + raw + reported, file);
    for (const { blocks } of forest.nodes.values())
      for (const { block } of blocks) assert.deepEqual(messageBlock.parse(block), block, file);
    messages += forest.nodes.size;
  }
  assert.ok(messages > 40, `only ${messages} messages`);
});
