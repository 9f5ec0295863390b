import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacters } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { setInToml, unsetInToml } from './edit.ts';
import { startsWith, type Path } from './key.ts';
import { scanToml } from './syntax.ts';

// A generated document is a list of pieces, each with the path it defines, so that the test can tell which text an edit of a path may touch.
type Piece = { source: string; path: Path; section: Path; type: 'pair' | 'header' | 'trivia' };
type Generated = { pieces: Piece[]; text: string };

const NAMES = ['alpha', 'b-2', '3', 'with.dot', 'ü', 'a b', '"', '#x', ']', '', 'back\\slash'];
const FRESH = ['fresh', 'new.name', 'neu ö'];
const SCALARS = [
  '1_024',
  '0xff',
  '-inf',
  'true',
  '9007199254740993',
  '1979-05-27 07:32:00',
  '"text # no comment"',
  '"esc \\" ] , }"',
  "'literal \\'",
  '"""\nmany\n[no.header]\nkey = "no pair" # no comment\n"""',
  "'''\n# still text\n\n'''",
  '""""two quotes""""',
  '[ 1, 2 ]',
  '[\n  "one", # first\n  "two",\n\n  # last\n]',
  '[ [ "a" ], [ ] ]',
];

const key = (name: string) => fc.constantFrom(...spellings(name));
const scalar = fc.constantFrom(...SCALARS);
const tail = fc.constantFrom('', ' ', ' # remark', '\t#=[x]');
const trivia = fc.array(fc.constantFrom('', '  ', '# a comment', '  # [no.header]', '#k = 1'), { maxLength: 2 });

function spellings(name: string): string[] {
  const quoted = JSON.stringify(name);
  return /^[A-Za-z0-9_-]+$/.test(name) ? [name, quoted, `'${name}'`] : [quoted];
}

type Part = { source: string; path: Path };
type Block = { header?: { source: string; path: Path }; pairs: Part[] };

const names = (count: number) => fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: count });

/** `key = value` pairs at a path: plain, dotted, inline. Names are given, so that they are unique. */
function pairAt(at: Path, name: string): fc.Arbitrary<Part[]> {
  const path = [...at, name];
  const plain = fc.tuple(key(name), scalar).map(([k, v]) => [{ source: `${k} = ${v}`, path }]);
  const dotted = names(2).chain((inner) =>
    fc
      .tuple(...inner.map((child) => fc.tuple(key(name), key(child), scalar, fc.constantFrom('.', ' . '))))
      .map((all) =>
        all.map(([k, c, v, dot], index) => ({ source: `${k}${dot}${c} = ${v}`, path: [...path, inner[index] ?? ''] })),
      ),
  );
  const inline = fc
    .tuple(key(name), fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }), scalar, fc.boolean())
    .map(([k, inner, v, isDotted]) => [
      {
        source: `${k} = { ${inner.map((n) => `${JSON.stringify(n)}${isDotted ? '.x' : ''} = ${v}`).join(', ')} }`,
        path,
      },
    ]);
  const elements = fc
    .tuple(key(name), fc.array(scalar, { maxLength: 2 }))
    .map(([k, values]) => [{ source: `${k} = [${values.map((v) => `{ id = ${v} }`).join(', ')}]`, path }]);
  return fc.oneof(plain, plain, dotted, inline, elements);
}

function pairsAt(at: Path): fc.Arbitrary<Part[]> {
  return fc
    .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 })
    .chain((own) => fc.tuple(...own.map((name) => pairAt(at, name))))
    .map((groups) => groups.flat());
}

/** Sections: a table with sub-tables, an implicit table above sub-tables, or an array of tables. */
function blocksAt(name: string): fc.Arbitrary<Block[]> {
  const table = fc
    .tuple(key(name), pairsAt([name]), fc.boolean(), pairsAt([name, 'sub']))
    .map(([k, own, hasOwn, sub]) => {
      const free = own.filter(({ path }) => path[1] !== 'sub');
      const top: Block = { header: { source: `[${k}]`, path: [name] }, pairs: free };
      const below: Block = { header: { source: `[ ${k} . sub ]`, path: [name, 'sub'] }, pairs: sub };
      return hasOwn ? [top, below] : [below];
    });
  const array = fc.tuple(key(name), fc.integer({ min: 1, max: 3 }), pairsAt([name, 'sub'])).map(([k, count, sub]) =>
    Array.from({ length: count }, (_, index): Block[] => [
      { header: { source: `[[${k}]]`, path: [name, index] }, pairs: [{ source: 'id = 1', path: [name, index, 'id'] }] },
      {
        header: { source: `[${k}.sub]`, path: [name, index, 'sub'] },
        pairs: sub.map((pair) => ({ ...pair, path: [name, index, ...pair.path.slice(1)] })),
      },
    ]).flat(),
  );
  return fc.oneof(table, array);
}

const document: fc.Arbitrary<Generated> = fc
  .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 })
  .chain((all) => {
    const rootNames = all.slice(0, 2);
    const sectionNames = all.slice(2);
    return fc.tuple(
      fc.tuple(...rootNames.map((name) => pairAt([], name))).map((groups): Block[] => [{ pairs: groups.flat() }]),
      fc.tuple(...sectionNames.map(blocksAt)).map((groups) => groups.flat()),
    );
  })
  .chain(([root, sections]) => {
    const blocks: Block[] = [...root, ...sections];
    const count = blocks.reduce((sum, block) => sum + block.pairs.length + 1, 0);
    return fc.tuple(
      fc.constant(blocks),
      fc.array(fc.tuple(trivia, tail, fc.constantFrom('', '  ')), { minLength: count + 1, maxLength: count + 1 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
    );
  })
  .map(([blocks, decoration, lineBreak, hasBom, hasFinalBreak]) => {
    const pieces: Piece[] = [];
    let index = 0;
    const push = (part: Part | undefined, section: Path, type: 'pair' | 'header'): void => {
      const [lines, remark, indent] = decoration[index++] ?? [[], '', ''];
      for (const line of lines) pieces.push({ source: `${line}\n`, path: [], section, type: 'trivia' });
      if (part !== undefined)
        pieces.push({ source: `${indent}${part.source}${remark}\n`, path: part.path, section, type });
    };
    for (const { header, pairs } of blocks) {
      if (header !== undefined) push(header, header.path, 'header');
      for (const pair of pairs) push(pair, header?.path ?? [], 'pair');
    }
    push(undefined, blocks.at(-1)?.header?.path ?? [], 'pair');
    const broken = pieces.map((piece) => ({ ...piece, source: piece.source.replaceAll('\n', lineBreak) }));
    const last = broken.at(-1);
    if (!hasFinalBreak && last !== undefined) last.source = last.source.slice(0, -lineBreak.length);
    return { pieces: broken, text: (hasBom ? '\uFEFF' : '') + broken.map(({ source }) => source).join('') };
  })
  .filter(({ text }) => isToml(text));

function isToml(text: string): boolean {
  try {
    parse(text, { integersAsBigInt: 'asNeeded' });
    return true;
  } catch {
    return false;
  }
}

/** Parsed TOML as plain data, so that expectations can be built without the code under test. */
function read(text: string): unknown {
  return JSON.parse(
    JSON.stringify(parse(text, { integersAsBigInt: 'asNeeded' }), (_, value: unknown) =>
      typeof value === 'bigint'
        ? `${value}n`
        : typeof value === 'number' && !Number.isFinite(value)
          ? `${value}f`
          : value,
    ),
  );
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A path of the document: something that is there, or something new below it. */
const target = (text: string) =>
  fc.tuple(fc.nat(), fc.array(fc.constantFrom(...FRESH), { maxLength: 2 })).map(([choice, added]): Path => {
    const paths = allPaths(read(text), []).filter((path) => path.length > 0);
    const chosen = paths[choice % Math.max(1, paths.length)] ?? [];
    return added.length === 0 && chosen.length === 0 ? ['fresh'] : [...chosen, ...added];
  });

function allPaths(value: unknown, path: Path): Path[] {
  if (!isContainer(value)) return [path];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((part) => allPaths(value[part], [...path, part]))];
}

const value = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
  fc.constantFrom('two\nlines', 'quotes """ \\', 'plain', '日本 💡'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string({ unit: 'binary-ascii', maxLength: 5 }), { maxLength: 3 }),
);

/** Asserts that every one of the sources stands in the text, in their order. */
function assertKept(text: string, sources: readonly string[], label: string): void {
  let at = 0;
  for (const source of sources) {
    const found = text.indexOf(source.replace(/\r?\n$/, ''), at);
    assert.notEqual(found, -1, `${label}: lost ${JSON.stringify(source)} in ${JSON.stringify(text)}`);
    at = found + source.replace(/\r?\n$/, '').length;
  }
}

test('[CF20] after a set the document means what was asked for and every other line is as it was', () => {
  fc.assert(
    fc.property(
      document.chain((generated) => fc.tuple(fc.constant(generated), target(generated.text), value)),
      ([{ pieces, text }, path, next]) => {
        const result = setInToml(text, path, next);
        const before = read(text);
        if (!result.ok) {
          assert.ok(isObstructed(before, path), `${result.refusal.reason} for ${JSON.stringify(path)} in\n${text}`);
          return;
        }
        const expected = read(text);
        assign(expected, path, next);
        assert.deepEqual(read(result.text), expected);
        const kept = pieces.filter((piece) => piece.type !== 'pair' || !startsWith(path, piece.path));
        assertKept(
          result.text,
          kept.map(({ source }) => source),
          'set',
        );
        assert.equal(result.text.startsWith('\uFEFF'), text.startsWith('\uFEFF'));
      },
    ),
    { numRuns: 1500 },
  );
});

test('[CF22] after an unset the path is gone and every other line is as it was', () => {
  fc.assert(
    fc.property(
      document.chain((generated) => fc.tuple(fc.constant(generated), target(generated.text))),
      ([{ pieces, text }, path]) => {
        const result = unsetInToml(text, path);
        assert.ok(result.ok, `refused for ${JSON.stringify(path)} in\n${text}`);
        const expected = read(text);
        remove(expected, path);
        assert.deepEqual(prune(read(result.text)), prune(expected));
        const kept = pieces.filter(
          (piece) =>
            !startsWith(path, piece.type === 'pair' ? piece.path : ['\0']) &&
            !startsWith(piece.type === 'trivia' ? piece.section : piece.path, path) &&
            // A removed section takes the blank lines around it along.
            !(piece.type === 'trivia' && piece.source.trim() === ''),
        );
        assertKept(
          result.text,
          kept.map(({ source }) => source),
          'unset',
        );
      },
    ),
    { numRuns: 1500 },
  );
});

test('[CF24] setting a value that is there already leaves the text byte for byte', () => {
  fc.assert(
    fc.property(
      document.chain((generated) => fc.tuple(fc.constant(generated), target(generated.text))),
      ([{ text }, path]) => {
        const present = at(parse(text, { integersAsBigInt: 'asNeeded' }), path);
        fc.pre(typeof present === 'string' || typeof present === 'number' || typeof present === 'boolean');
        const result = setInToml(text, path, present);
        assert.deepEqual(result, { ok: true, text });
      },
    ),
  );
});

test('[CF26] the statements of a document cover its text without gaps, whatever the text', () => {
  const anything = fc.oneof(
    document.map(({ text }) => text),
    anyCharacters,
    fc
      .array(fc.constantFrom('[', ']', '{', '}', '"', "'", '"""', '\\', '=', ',', '#', '\n', '\r\n', ' ', 'a', '.'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const statements = scanToml(text);
      const start = text.startsWith('\uFEFF') ? 1 : 0;
      assert.equal(
        statements.map((statement) => text.slice(statement.start, statement.end)).join(''),
        text.slice(start),
      );
      for (const statement of statements) assert.ok(statement.end > statement.start);
    }),
  );
});

function at(from: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, part) => (isContainer(found) ? found[part] : undefined), from);
}

/** A table stands at the path, or something that is not a table on the way to it. */
function isObstructed(from: unknown, path: Path): boolean {
  if (isContainer(at(from, path))) return true;
  return path.some((part, index) => {
    if (index === 0) return false;
    const above = at(from, path.slice(0, index));
    return above !== undefined && (!isContainer(above) || (Array.isArray(above) && typeof part !== 'number'));
  });
}

function assign(into: unknown, path: Path, next: unknown): void {
  const [part, ...rest] = path;
  if (part === undefined || !isContainer(into)) return;
  if (rest.length > 0) {
    if (!isContainer(into[part])) into[part] = {};
    assign(into[part], rest, next);
    return;
  }
  into[part] = JSON.parse(JSON.stringify(next));
}

function remove(from: unknown, path: Path): void {
  const above = at(from, path.slice(0, -1));
  const last = path.at(-1);
  if (last === undefined || !isContainer(above)) return;
  if (Array.isArray(above) && typeof last === 'number') above.splice(last, 1);
  else delete above[last];
}

/** Drops empty tables and lists: an unset may leave them or not. */
function prune(from: unknown): unknown {
  if (!isContainer(from)) return from;
  if (Array.isArray(from)) return from.map(prune);
  const kept = Object.entries(from).map(([name, child]) => [name, prune(child)] as const);
  return Object.fromEntries(kept.filter(([, child]) => !isContainer(child) || Object.keys(child).length > 0));
}
