// Searches a data folder with words and expressions that are drawn at random from its own texts, in both cases, and compares every
// answer with a plain scan of all blocks. LOOM_CORPUS names a data folder, such as one that `loom import` has filled.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { searchableBlocks } from '@loom/kernel/search';
import { Forest } from '@loom/kernel/logs';
import { BlockTools, Random } from '@loom/kernel/testing';
import { openSqliteStore, openSqliteTextIndex } from '@loom/stores/sqlite';
import { printHeader } from './measure.ts';

const directory = process.env['LOOM_CORPUS'];
if (directory === undefined)
  throw new Error('LOOM_CORPUS must name a data folder: loom import <path> --data-dir <folder>');
const random = new Random(Number(process.env['LOOM_SEED'] ?? 24));
const wordCount = Number(process.env['BENCH_WORDS'] ?? 200);
const expressionCount = Number(process.env['BENCH_EXPRESSIONS'] ?? 50);

interface Drawn {
  kind: 'words' | 'expressions with a literal' | 'other expressions';
  query: string;
}

const store = await openSqliteStore({ directory, looks: 'beside-others' });
const ids = { next: () => '' };
const clock = { now: Date.now, after: () => () => undefined };
const forest = new Forest({ store, clock, ids, snapshotEvery: Infinity, usesSnapshots: true });
const index = openSqliteTextIndex({ directory });
const tools = new BlockTools({ forest, ids, index });

const texts = new Map<string, string>();
for (const root of await forest.roots()) {
  const state = await forest.stateUnlessDamaged(root);
  if (state === undefined) continue;
  for (const { block_id, text } of searchableBlocks(state)) texts.set(block_id, text);
  await forest.log(root).release();
}
const bytes = [...texts.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
printHeader('search-corpus');
console.log(
  `  ${texts.size} blocks, ${(bytes / 1e6).toFixed(1)} MB of text in ${(await forest.roots()).length} conversations`,
);
await index.ready();
console.log(
  `  index: ${(statSync(join(directory, 'loom.db-search')).size / bytes).toFixed(2)} of the text (limit 0.5)`,
);

/** The ids of the blocks that a plain scan finds: every line of every block, one after the other, judged by JavaScript's own engine. */
function scan(query: string, ignoreCase: boolean, literal: boolean): string[] {
  const source = literal ? RegExp.escape(query) : inJavaScript(query);
  const pattern = new RegExp(source, ignoreCase ? 'iv' : 'v');
  const isMatch = (text: string): boolean =>
    literal ? pattern.test(text) : linesOf(text).some((line) => pattern.test(line));
  return [...texts].flatMap(([id, text]) => (isMatch(text) ? [id] : [])).sort();
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => line.replace(/\r$/u, '')), ...(last === '' ? [] : [last])];
}

/**
 * The same expression for the other engine: in the dialect of search, spaces and words are ASCII's, and a point is everything but a line feed. Ignoring
 * case, JavaScript takes the long s and the Kelvin sign for letters of ASCII: texts that hold them are counted below.
 */
function inJavaScript(query: string): string {
  const word = '[0-9A-Za-z_]';
  const meanings: Record<string, string> = {
    '\\s': '[\\t\\n\\f\\r ]',
    '\\w': word,
    '\\W': '[^0-9A-Za-z_]',
    '\\b': `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
    '\\pL': '\\p{L}',
    '.': '[^\\n]',
  };
  return query.replace(/\\pL|\\.|\./gu, (part) => meanings[part] ?? part);
}
const folding = [...texts.values()].filter((text) => /[\u017f\u212a]/u.test(text)).length;
console.log(`  ${folding} blocks hold letters that the two engines fold differently`);

const names = [...texts.values()];
function drawWord(): string {
  for (;;) {
    const text = random.pick(names) ?? '';
    const found = text.slice(random.below(text.length), undefined).match(/\p{L}{3,}/u)?.[0];
    if (found !== undefined && found.length <= 40) return found;
  }
}
function drawExpression(at: number): Drawn {
  const [word, other] = [drawWord(), drawWord()];
  const literal = [`${word}.*${other}`, `(${word}|${other})s?`, `^\\s*${word}`, `${word}\\W+\\w+`, `\\b${word}\\b`];
  const others = [
    '[0-9]{4}-[0-9]{2}',
    '\\b[a-z]{12,}\\b',
    '^\\s*\\}',
    '[A-Z][a-z]+[A-Z]\\w*',
    '\\pL{20,}',
    '(\\w+)\\s+\\w+;$',
  ];
  const isLiteral = at % 5 !== 0;
  const query = random.pick(isLiteral ? literal : others) ?? word;
  return { kind: isLiteral ? 'expressions with a literal' : 'other expressions', query };
}
const drawn: Drawn[] = [
  ...Array.from({ length: wordCount }, (): Drawn => ({ kind: 'words', query: drawWord() })),
  ...Array.from({ length: expressionCount }, (_, at) => drawExpression(at)),
];

const times = new Map<string, { first: number[]; whole: number[]; pages: number; wrong: number; cut: number }>();
await tools.searchAll({ query: 'begin' });
for (const { kind, query } of drawn) {
  for (const ignore_case of [false, true]) {
    const literal = kind === 'words';
    // As the page asks: the best three of each conversation, all counted.
    const begun = performance.now();
    const shown = await tools.searchAll({
      query,
      literal,
      ignore_case,
      context_lines: 0,
      max_matches_per_block: 3,
      max_blocks: 150,
      max_blocks_per_root: 3,
    });
    const first = performance.now() - begun;
    if ('refusal' in shown) throw new Error(`${query}: ${JSON.stringify(shown.refusal)}`);
    const found: string[] = [];
    let [pages, from, isComplete]: [number, string | undefined, boolean] = [0, undefined, false];
    const start = performance.now();
    do {
      const page = await tools.searchAll({
        query,
        literal,
        ignore_case,
        context_lines: 0,
        max_matches_per_block: 1,
        max_blocks: 10_000,
        ...(from === undefined ? {} : { from }),
      });
      if ('refusal' in page) throw new Error(JSON.stringify(page.refusal));
      found.push(...page.blocks.map(({ block_id }) => block_id));
      [pages, from, isComplete] = [pages + 1, page.next, page.complete];
    } while (from !== undefined);
    const entry = times.get(kind) ?? { first: [], whole: [], pages: 0, wrong: 0, cut: 0 };
    times.set(kind, entry);
    entry.first.push(first);
    entry.whole.push(performance.now() - start);
    entry.pages = Math.max(entry.pages, pages);
    if (pages > 1) entry.cut += 1;
    const expected = scan(query, ignore_case, literal);
    if (!isComplete || JSON.stringify(found.sort()) !== JSON.stringify(expected)) {
      entry.wrong += 1;
      console.log(
        `    ${query} ${ignore_case ? 'ignoring case' : ''}: ${found.length} found, ${expected.length} there, complete: ${isComplete}`,
      );
    }
  }
}
const quantile = (values: number[], share: number): string =>
  (values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0).toFixed(0);
for (const [kind, { first, whole, pages, wrong, cut }] of times) {
  console.log(
    `  ${first.length} searches for ${kind}: ${wrong} differ from a plain scan; first page p50 ${quantile(first, 0.5)} p95 ${quantile(first, 0.95)} max ${quantile(first, 1)} ms; to the end p95 ${quantile(whole, 0.95)} ms, in at most ${pages} pages (${cut} needed more than one)`,
  );
}
await index.close();
await store.close();
