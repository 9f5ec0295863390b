import { searchableBlocks } from '@loom/kernel/search';
import type { Random } from '@loom/kernel/testing';
import { searchToTheEnd } from './indexed-world.ts';
import type { IndexedWorld } from './indexed-world.ts';

const latin = [
  'overcast',
  'linear',
  'Kelvin',
  'mississippi',
  'the',
  'İstanbul',
  'ısı',
  'straße',
  'naïve',
  'a_b',
  'x-1',
];
const others = ['σίσυφος', 'ёлка', 'Жук', 'Ångström', '龘龘靐', '天气', '𐐀𐐨𐑄', '😀ok'];
const words = [...latin, ...others];
/** Letters that equal another one without regard to case, and one that only looks so. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['s', 'ſ'],
  ['σ', 'ς'],
  ['å', '\u212b'],
  ['ß', 'ẞ'],
  ['i', 'ı'],
]);

function pickWord(random: Random): string {
  const letters = Array.from(random.pick(words) ?? '', (letter) => {
    if (random.chance(0.15)) return spellings.get(letter.toLowerCase()) ?? letter;
    return random.chance(0.3) ? letter.toUpperCase() : letter;
  });
  return letters.join('');
}

function pickText(random: Random): string {
  const count = 1 + random.below(random.chance(0.2) ? 400 : 30);
  const ends = [' ', ' ', ' ', '\n', '\r\n', ', ', ''];
  return Array.from({ length: count }, () => `${pickWord(random)}${random.pick(ends)}`).join('');
}

interface Query {
  query: string;
  literal: boolean;
  ignore_case: boolean;
}

function pickQuery(random: Random): Query {
  const ignore_case = random.chance(0.5);
  const [word, other] = [pickWord(random), pickWord(random)];
  if (random.chance(0.3)) return { query: word, literal: true, ignore_case };
  const letters = Array.from(word);
  const from = random.below(Math.max(1, letters.length - 2));
  const part = letters.slice(from, from + 3 + random.below(3)).join('');
  if (random.chance(0.5)) return { query: part, literal: true, ignore_case };
  const patterns = [
    `${word}.*${other}`,
    `(${word}|${other})[a-z]*`,
    `^${word}`,
    `${part}\\b`,
    '[а-я]{2,}',
    `\\w+ ${part}`,
  ];
  return { query: random.pick(patterns) ?? part, literal: false, ignore_case };
}

/** Says, edits or removes something in one of the conversations. */
async function write({ forest, tools, by, say }: IndexedWorld, random: Random, root: string): Promise<void> {
  const node = random.pick([...(await forest.log(root).state()).nodes.values()]);
  const block_id = node?.blocks[0]?.block_id;
  if (node !== undefined && random.chance(0.1)) {
    await forest.remove(by(), root, { node: node.id, children: 'remove' });
  } else if (block_id !== undefined && random.chance(0.2)) {
    await tools.splice(by(), { block_id, offset: 0, delete_count: 0, insert: pickText(random) });
  } else {
    // Nothing can be said below a removed message.
    await say(root, pickText(random), node?.deleted === true ? root : node?.id).catch(() => undefined);
  }
}

/** Reads all blocks with their texts, straight from the logs. */
async function readTexts({ forest }: IndexedWorld): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const root of await forest.roots()) {
    for (const { block_id, text } of searchableBlocks(await forest.log(root).state())) texts.set(block_id, text);
  }
  return texts;
}

/** A scan that shares nothing with the search: for texts JavaScript's own folding, for patterns a search without the index. */
async function scan(world: IndexedWorld, texts: ReadonlyMap<string, string>, params: Query): Promise<string[]> {
  if (!params.literal) return (await searchToTheEnd(world.plain, params)).blocks.map(({ block_id }) => block_id);
  const pattern = new RegExp(RegExp.escape(params.query), params.ignore_case ? 'iu' : 'u');
  return [...texts].flatMap(([id, text]) => (pattern.test(text) ? [id] : []));
}

/** Searches while conversations grow, and returns the searches whose hits are not those of a scan. `spoil` is called before each. */
export async function differences(
  world: IndexedWorld,
  random: Random,
  count: number,
  spoil: () => unknown = () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  const roots = [await world.root(), await world.root(), await world.root()];
  const root = (): string => random.pick(roots) ?? '';
  for (let done = 0; done < count; done += 1) {
    if (done % 4 === 0) for (let left = random.below(4); left >= 0; left -= 1) await write(world, random, root());
    await spoil();
    const params = { ...pickQuery(random), context_lines: 0, max_matches_per_block: 1 };
    const texts = await readTexts(world);
    const expected = (await scan(world, texts, params)).sort();
    // Another writer goes on while the search does: its text may be found or not, and nothing else is lost.
    const writing = random.chance(0.3) ? world.say(root(), pickText(random)) : undefined;
    const { blocks, complete } = await searchToTheEnd(world.tools, params);
    await writing;
    const hits = blocks.flatMap(({ block_id }) => (texts.has(block_id) ? [block_id] : [])).sort();
    if (!complete || JSON.stringify(hits) !== JSON.stringify(expected))
      found.push(`${JSON.stringify(params)}: ${hits.length} found of ${expected.length}, complete: ${complete}`);
  }
  return found;
}
