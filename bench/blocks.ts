// The speed of the vocabulary, against structuredClone of the same data and against itself at a tenth of the length.
import { commonPrefix, normalizeForComparison } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { normalizeMessage, toLegacyMessage } from '@loom/blocks/legacy';
import { printHeader, printRatio } from './measure.ts';

/** A conversation as agents have them: a question, an answer with a call, its result, a closing answer. */
function makeConversation(messages: number): Message[] {
  return Array.from({ length: messages }, (_, index): Message => {
    const id = `toolu_${Math.floor(index / 4)}`;
    const prose = `Message ${index}. ${'Some prose that a person or a model could have written. '.repeat(6)}`;
    switch (index % 4) {
      case 0:
        return { role: 'user', content: [{ type: 'text', text: prose }] };
      case 1:
        return {
          role: 'assistant',
          content: [
            { type: 'thinking', text: prose, provider: { anthropic: { signature: 'x'.repeat(200) } } },
            { type: 'text', text: prose },
            {
              type: 'tool-use',
              id,
              name: 'Read',
              parameters: { file_path: `/src/file-${index}.ts`, limit: 200, ranges: [{ from: 1, to: 5 }] },
            },
          ],
        };
      case 2:
        return {
          role: 'tool',
          tool_call_id: id,
          content: [
            { type: 'text', text: prose },
            { type: 'code', content: prose, filename: 'a.ts' },
          ],
        };
      default:
        return { role: 'assistant', content: [{ type: 'text', text: prose }] };
    }
  });
}

/** Two equal paths that share nothing in memory. */
function makePair(length: number): [Message[], Message[]] {
  return [makeConversation(length), makeConversation(length)];
}

function comparePaths([left, right]: readonly [Message[], Message[]]): void {
  const { length } = commonPrefix(left, right);
  if (length !== left.length) throw new Error(`the paths are equal, but only ${length} messages were found to be`);
}

/** Milliseconds of this thread's own work: a busy machine takes the processor away, which says nothing about the code. */
function time(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** Returns the best of alternating runs: other work of the machine only ever adds time. */
function compare(rounds: number, ...works: (() => unknown)[]): number[] {
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) times[index]?.push(time(work));
  }
  return times.map((each) => Math.min(...each));
}

const conversation = makeConversation(10_000);
const legacy = conversation.map(toLegacyMessage);

printHeader('blocks');
const [clone = 0, blocks = 0, comparable = 0] = compare(
  15,
  () => structuredClone(conversation),
  () => conversation.map(normalizeMessage),
  () => normalizeForComparison(conversation),
);
printRatio('normalizeMessage, 10,000 block messages ÷ structuredClone', blocks, clone, 3);
printRatio('normalizeForComparison, 10,000 messages ÷ structuredClone', comparable, clone, 3);
const [cloneLegacy = 0, fromLegacy = 0] = compare(
  15,
  () => structuredClone(legacy),
  () => legacy.map(normalizeMessage),
);
printRatio('normalizeMessage, 10,000 legacy messages ÷ structuredClone', fromLegacy, cloneLegacy, 3);

// As many messages on either side, so that both are disturbed alike: ten short pairs, ten times over, and ten times the
// long one. The clock of a thread is too coarse for a single short comparison.
const longPair = makePair(5000);
const shortPairs = Array.from({ length: 10 }, () => makePair(500));
const [short = 0, long = 0] = compare(
  31,
  () => {
    for (let run = 0; run < 10; run += 1) for (const pair of shortPairs) comparePaths(pair);
  },
  () => {
    for (let run = 0; run < 10; run += 1) comparePaths(longPair);
  },
);
printRatio('comparing two equal paths, 5,000 messages ÷ 500', long / 10, short / 100, 13);
