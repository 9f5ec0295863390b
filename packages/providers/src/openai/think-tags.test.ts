import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThinkTags } from './think-tags.ts';

const answers: [string, { thought: string; text: string }][] = [
  [
    '<think>\nHm, 1 < 2.\n\nSo </thin not yet.\n</think>\n\nYes.',
    { thought: 'Hm, 1 < 2.\n\nSo </thin not yet.', text: 'Yes.' },
  ],
  ['\n <think></think>Yes. <think>no</think>', { thought: '', text: 'Yes. <think>no</think>' }],
  ['Use <think> for this.', { thought: '', text: 'Use <think> for this.' }],
  ['<thinking> is another tag', { thought: '', text: '<thinking> is another tag' }],
  ['<think>It never ends \n</thi', { thought: 'It never ends \n</thi', text: '' }],
  ['<thi', { thought: '', text: '<thi' }],
  [' \n', { thought: '', text: ' \n' }],
];

test('[PV47] thoughts between tags at the very beginning become thinking, however the answer is cut', () => {
  for (const [answer, expected] of answers) {
    for (let size = 1; size <= answer.length; size += 1) {
      for (let first = 0; first < size; first += 1) {
        assert.deepEqual(read(answer, first, size), expected, `${answer} in pieces of ${size} from ${first}`);
      }
    }
  }
});

function read(answer: string, first: number, size: number): { thought: string; text: string } {
  const tags = new ThinkTags();
  const pieces = first === 0 ? [] : tags.take(answer.slice(0, first));
  for (let start = first; start < answer.length; start += size)
    pieces.push(...tags.take(answer.slice(start, start + size)));
  pieces.push(...tags.end());
  const join = (type: string): string => pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
  return { thought: join('reasoning'), text: join('text') };
}
