import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from './testing/seeded-random.ts';
import { assertWhole, createToolWorld, isRefused } from './testing/tool-world.ts';

type Operation =
  | { op: 'insert'; line: number; content: string }
  | { op: 'delete'; start_line: number; end_line: number; expected_text?: string }
  | { op: 'replace'; start_line: number; end_line: number; content: string; expected_text?: string };

/** The reference: a text is lines, one kind of line break, and whether the last line has one. */
interface Lines {
  lines: string[];
  ended: boolean;
}

const lineBreaks = ['\n', '\r\n'] as const;
const words = ['', 'a', 'bb', '😀', 'é\t', ' ', '0\t', '👩‍👩‍👧'] as const;

function write({ lines, ended }: Lines, end: string): string {
  if (lines.length === 0) return '';
  // An empty last line is not a line without its break.
  return lines.join(end) + (ended || lines.at(-1) === '' ? end : '');
}

/** Applies a batch to the lines: the ranges must not overlap, and all of them address the lines as they were. */
function edit(text: Lines, operations: readonly Operation[]): Lines {
  const slots = Array.from(
    { length: text.lines.length + 1 },
    (): { before: string[]; instead: string[]; kept: string[] } => ({
      before: [],
      instead: [],
      kept: [],
    }),
  );
  for (const [index, line] of text.lines.entries()) slots[index]?.kept.push(line);
  for (const operation of operations) {
    const [start, end] =
      operation.op === 'insert' ? [operation.line, operation.line] : [operation.start_line, operation.end_line];
    const lines = operation.op === 'delete' ? [] : operation.content.replace(/\n$/, '').split('\n');
    for (let line = start; line < end; line += 1) slots[line]?.kept.pop();
    if (start === end) slots[start]?.before.push(...lines);
    else slots[start]?.instead.push(...lines);
  }
  return { lines: slots.flatMap(({ before, instead, kept }) => [...before, ...instead, ...kept]), ended: text.ended };
}

const seed = 20_261;
const batches = 10_000;

test('[BT24] 10,000 random batches of line edits do what a reference over lines does, with expected_text right and wrong', async (t) => {
  const random = new SeededRandom(seed);
  const line = () => Array.from({ length: random.below(3) }, () => random.pick(words)).join('');
  const content = () => Array.from({ length: 1 + random.below(3) }, () => `${line()}\n`).join('');
  let [made, stopped] = [0, 0];
  while (made + stopped < batches) {
    const world = await createToolWorld();
    let end = random.pick(lineBreaks);
    let text: Lines = { lines: ['start', ...Array.from({ length: random.below(6) }, line)], ended: random.chance(50) };
    const block_id = await world.block({ content: write(text, end) });
    let version = 1;
    for (let step = 0; step < 100 && text.lines.length < 20; step += 1) {
      const before = write(text, end);
      // A text without a line break takes that of the content; an empty text takes all of the content.
      if (!before.includes('\n')) end = '\n';
      text.ended ||= before === '' || text.lines.at(-1) === '';
      const { operations, isWrong } = anyBatch(random, text.lines, content);
      const answer = await world.tools.edit(world.by(), { block_id, operations });
      const told = `seed ${seed}, batch ${made + stopped}: ${JSON.stringify(operations)} of ${JSON.stringify(before)}`;
      assert.equal(isRefused(answer), isWrong, `${told} ${JSON.stringify(answer)}`);
      if (isWrong) stopped += 1;
      else {
        made += 1;
        text = edit(text, operations);
      }
      assert.equal(await world.text(block_id), write(text, end), told);
      const now = await world.version(block_id);
      // Two operations may undo each other; what changes the text is always a version.
      if (isWrong || write(text, end) !== before) assert.equal(now, version + Number(!isWrong), told);
      version = now;
    }
    if (random.chance(5)) await assertWhole(world.engine.forest, world.root);
  }
  t.diagnostic(`seed ${seed}: ${made} made, ${stopped} refused`);
  assert.ok(made > batches / 2 && stopped > batches / 50);
});

/** Operations from the top of the text to its end, some of which expect something else than is there. */
function anyBatch(
  random: SeededRandom,
  lines: readonly string[],
  content: () => string,
): { operations: Operation[]; isWrong: boolean } {
  const operations: Operation[] = [];
  let isWrong = false;
  for (let at = 0; operations.length === 0 || (random.chance(40) && at < lines.length);) {
    const start_line = at + random.below(lines.length - at + 1);
    const end_line = Math.min(lines.length, start_line + 1 + random.below(2));
    at = end_line;
    const actual = lines.slice(start_line, end_line).join('\n');
    const isMismatch = start_line < end_line && random.chance(10);
    isWrong ||= isMismatch;
    const guard = isMismatch ? { expected_text: `${actual}!` } : random.chance(50) ? { expected_text: actual } : {};
    if (start_line === end_line) operations.push({ op: 'insert', line: start_line, content: content() });
    else if (random.chance(40)) operations.push({ op: 'delete', start_line, end_line, ...guard });
    else operations.push({ op: 'replace', start_line, end_line, content: content(), ...guard });
  }
  return { operations, isWrong };
}
