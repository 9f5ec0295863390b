// Searches 100 MB of blocks through the block tools, beside ripgrep on the same text in files, in the same run. Both list the same
// matches, which is checked. Then patterns that were made to take forever. Needs `rg` on the PATH, else only those are measured.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import { openSqliteStore, openSqliteTextIndex } from '@loom/stores/sqlite';
import { median, printHeader } from './measure.ts';
import { SampleText } from './sample-text.ts';

let lastId = 0;
const ids = { next: () => String((lastId += 1)).padStart(8, '0') };
const clock = {
  now: Date.now,
  after: (milliseconds: number, callback: () => void) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
const roots = Number(process.env['BENCH_ROOTS'] ?? 1_000);
const blocks = 125;
const length = 800;
const rounds = 7;
/** Milliseconds. */
const hostileLimit = 500;

const selective = [
  'frobnicated quokka',
  'zyx[a-z]+frob',
  String.raw`\bquokka-[0-9]{3}\b`,
  '(?i)FROBNICATED [a-z]+',
  '龘龘靐',
  // Rare words of the text itself, made of letters that are frequent together.
  'interleavings',
  'disposable',
  String.raw`tombstone[a-z]*[,:] hidden`,
];
const frequent = ['surrogate', 'const answer = ', 'conversations', '(returns|answers) the'];
const unselective = [
  '[0-9]{4}',
  String.raw`\b[a-z]{7,}ing\b`,
  '[A-Z][a-z]{13,}',
  'q.{0,3}[0-9]{2}',
  String.raw`^\s*\} else`,
];
const hostile = [
  '(a+)+$',
  '(a|aa)+!',
  String.raw`([a-z]+\s?)+[0-9]{7}`,
  '(.*)*=!',
  '.*.*.*.*=!',
  String.raw`(\w+\s*)+;!`,
  '(a|b|ab)*c{5}',
  'a'.repeat(999) + 'b',
  '(x+x+)+y',
  '(([a-z])+.)+[A-Z]([a-z])+$$',
];

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-search-'));
try {
  await run();
} finally {
  rmSync(directory, { recursive: true });
}

async function run(): Promise<void> {
  const data = join(directory, 'data');
  const files = join(directory, 'files');
  mkdirSync(files);
  const { bytes, lineOf } = await fill(data, files);
  printHeader('search');
  console.log(`  ${megabytes(bytes)} of text in ${roots * blocks} blocks of ${roots} conversations`);

  const store = await openSqliteStore({ directory: data });
  const forest = new Forest({ store, clock, ids });
  const index = openSqliteTextIndex({ directory: data });
  const tools = new BlockTools({ forest, ids, index });
  const everything = { max_blocks: 20_000, max_matches_per_block: 10_000 };
  const find = async (query: string, most: Partial<typeof everything> = everything) => {
    const found = await tools.searchAll({
      query,
      line_numbers: false,
      kinds: ['text'],
      context_lines: 0,
      ...most,
    });
    if ('refusal' in found) throw new Error(`${query}: ${JSON.stringify(found.refusal)}`);
    return found;
  };

  const [first, firstTime] = await timed(() => find('frobnicated quokka'));
  console.log(`  first search, without an index (${first.blocks.length} blocks found): ${firstTime.toFixed(0)} ms`);
  const [, indexTime] = await timed(() => index.ready());
  const indexBytes = sizeOf(data, 'loom.db-search');
  const ratio = indexBytes / bytes;
  console.log(
    `  making the index: ${(indexTime / 1_000).toFixed(1)} s; ${megabytes(indexBytes)}, ${ratio.toFixed(2)} of the text (${ratio <= 0.4 ? 'within' : 'ABOVE'} the limit of 0.4); database ${megabytes(sizeOf(data, 'loom.db'))}`,
  );

  const ripgrep = findRipgrep();
  const compare = async (query: string, limit: number, other: OtherProgram): Promise<void> => {
    const [ours, theirs]: [number[], number[]] = [[], []];
    const found = await find(query);
    if (found.truncated) {
      console.log(`    ${query}: cut short, so there is nothing to compare`);
      return;
    }
    const places = found.blocks.flatMap(({ block_id, matches }) => {
      const { file, line } = lineOf.get(block_id) ?? { file: '', line: 0 };
      return matches.map(
        ({ line: own, content, match_start, match_end }) =>
          `${file}:${line + own}:${content.slice(match_start, match_end)}`,
      );
    });
    const listed = other.list(files, query);
    const isSame = JSON.stringify(places.sort()) === JSON.stringify(listed.sort());
    for (let round = 0; round < rounds; round += 1) {
      ours.push((await timed(() => find(query)))[1]);
      const start = performance.now();
      other.run(files, query);
      theirs.push(performance.now() - start);
    }
    const [mine, its] = [median(ours), median(theirs)];
    const verdict = mine / its <= limit ? 'within' : 'ABOVE';
    console.log(
      `    ${query}: ${places.length} matches${isSame ? '' : ` BUT ${listed.length} IN FILES`}, ${mine.toFixed(1)} ms ÷ ${its.toFixed(1)} ms = ${(mine / its).toFixed(2)} (${verdict} the limit of ${limit})`,
    );
  };

  const kinds: [what: string, queries: string[], limit: number][] = [
    ['selective', selective, 1],
    ['literals that match often', frequent, 3],
    ['patterns that no index helps with', unselective, 3],
  ];
  for (const [what, queries, limit] of kinds) {
    if (ripgrep === undefined) break;
    console.log(`  ${what} ÷ ${ripgrep.name} (load ${load()})`);
    for (const query of queries) await compare(query, limit, ripgrep);
  }
  console.log(`  hostile patterns, each at most ${hostileLimit} ms (load ${load()})`);
  for (const query of hostile) {
    // As people ask, and for everything.
    const [, page] = await timed(() => find(query, {}));
    const [found, time] = await timed(() => find(query));
    const answer = `${found.blocks.length} blocks${found.truncated ? ', says that it has not seen everything' : ''}`;
    console.log(
      `    ${query.length > 40 ? `${query.slice(0, 20)}… (${query.length})` : query}: ${time.toFixed(0)} ms (${time <= hostileLimit ? 'within' : 'ABOVE'} the limit of ${hostileLimit}), ${answer}; the first page ${page.toFixed(0)} ms (${page <= hostileLimit ? 'within' : 'ABOVE'})`,
    );
  }
  await index.close();
  await store.close();
}

/** Writes the text as conversations and as files, one for each conversation. */
async function fill(
  data: string,
  files: string,
): Promise<{ bytes: number; lineOf: Map<string, { file: string; line: number }> }> {
  const store = await openSqliteStore({ directory: data });
  const forest = new Forest({ store, clock, ids, snapshotEvery: 1 });
  const lineOf = new Map<string, { file: string; line: number }>();
  let bytes = 0;
  for (let number = 0; number < roots; number += 1) {
    const sample = new SampleText(number + 1);
    const texts = Array.from({ length: blocks }, (_, index) => plant(sample.block(length), number, index));
    const messages = texts.map((text, index): Message =>
      index % 2 === 0
        ? { role: 'user', content: [{ type: 'text', text }] }
        : { role: 'assistant', content: [{ type: 'text', text }] },
    );
    const created = await forest.createRoot({ agent: 'bench', id: ids.next() });
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    const { root } = created.value;
    const appended = await forest.append({ agent: 'bench', id: ids.next() }, root, { parent: root, messages });
    if (!appended.ok) throw new Error(JSON.stringify(appended.refusal));
    const state = await forest.log(root).state();
    const file = `${String(number).padStart(4, '0')}.txt`;
    let line = 1;
    for (const [index, id] of appended.value.nodes.entries()) {
      lineOf.set(state.nodes.get(id)?.blocks[0]?.block_id ?? '', { file, line });
      line += `${texts[index]}\n`.split('\n').length - 1;
    }
    const whole = texts.map((text) => `${text}\n`).join('');
    writeFileSync(join(files, file), whole);
    bytes += Buffer.byteLength(whole) - blocks;
    await forest.log(root).release();
  }
  await store.close();
  return { bytes, lineOf };
}

/** Puts a few rare things into the text. */
function plant(text: string, root: number, block: number): string {
  const put = (what: string): string =>
    `${text.slice(0, 400)} ${what} ${text.slice(402 + what.length)}`.slice(0, length);
  if (block !== root % blocks) return text;
  if (root % 199 === 7) return put('frobnicated quokka');
  if (root % 211 === 3) return put('zyxquafrob');
  if (root % 197 === 5) return put(`quokka-${100 + (root % 900)}`);
  if (root % 307 === 9) return put('龘龘靐');
  if (root % 101 === 11) return 'a'.repeat(length);
  return text;
}

interface OtherProgram {
  name: string;
  /** Runs the program under test, which prints lines with matches. */
  run: (files: string, query: string) => void;
  /** Returns each match as file, line and text. */
  list: (files: string, query: string) => string[];
}

function findRipgrep(): OtherProgram | undefined {
  const version = spawnSync('rg', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0) {
    console.log(
      '  nothing is compared, because ripgrep is not on the PATH: install it, or unpack its package into a folder (on Debian `apt-get download ripgrep` and `dpkg -x ripgrep_*.deb rg`, then `PATH=$PWD/rg/usr/bin:$PATH`)',
    );
    return undefined;
  }
  const call = (files: string, flags: string[], query: string): string => {
    // To RE2 \\b and \\w mean ASCII.
    const ascii = /[^\0-\x7f]/.test(query) ? [] : ['--no-unicode'];
    const { stdout, status } = spawnSync(
      'rg',
      ['--no-config', '-n', '--no-heading', ...ascii, ...flags, '-e', query, '.'],
      { cwd: files, maxBuffer: 1 << 30, encoding: 'latin1', env: { ...process.env, LC_ALL: 'C' } },
    );
    if (status !== 0 && status !== 1) throw new Error(`rg failed with ${status}`);
    return stdout;
  };
  return {
    name: version.stdout.split('\n')[0] ?? '',
    run: (files, query) => void call(files, [], query),
    list: (files, query) => {
      const lines = Buffer.from(call(files, ['-o'], query), 'latin1')
        .toString()
        .split('\n');
      return lines.filter((line) => line !== '').map((line) => line.replace(/^\.\//, ''));
    },
  };
}

function sizeOf(folder: string, name: string): number {
  return readdirSync(folder)
    .filter(
      (file) =>
        file === name ||
        (file.startsWith(`${name}-`) && file !== 'loom.db-search' && !file.startsWith('loom.db-search-')) ||
        file === `${name}-wal`,
    )
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const value = await work();
  return [value, performance.now() - start];
}

/** Returns the average number of processes that wanted a processor in the last minute: ratios hold on a busy machine, times do not. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
