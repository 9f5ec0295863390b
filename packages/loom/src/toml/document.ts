import { startsWith, type Path } from './key.ts';
import { scanToml, type ItemNode, type PairNode, type Statement, type ValueNode } from './syntax.ts';

/** A header with the statements up to the next header; the first section of a document has none. */
export type Section = {
  path: Path;
  header: Statement | undefined;
  statements: Statement[];
  pairs: PlacedPair[];
};

/** A pair with the statement that holds it and its full path in the document. */
export type PlacedPair = { path: Path; pair: PairNode; statement: Statement };

export type TomlDocument = { text: string; statements: Statement[]; sections: Section[] };

/** The thing at a path. */
export type Place =
  /** A value that an edit can replace or remove. */
  | { type: 'value'; value: ValueNode; holder: Holder }
  /** A table made of headers or dotted keys. */
  | { type: 'table' }
  /** The nearest thing on the way is an inline table (or array) that lacks `rest`. */
  | { type: 'gap'; container: ValueNode; rest: Path; holder: Holder }
  /** A plain value stands on the way; `at` is its path. */
  | { type: 'blocked'; at: Path }
  | { type: 'absent' };

/** The holder of a value: a statement of a section, or an entry of an inline table or array. */
export type Holder =
  | { type: 'statement'; statement: Statement }
  | { type: 'entry'; entries: readonly (PairNode | ItemNode)[]; index: number };

export function readDocument(text: string): TomlDocument {
  const statements = scanToml(text);
  const sections: Section[] = [];
  let section: Section = { path: [], header: undefined, statements: [], pairs: [] };
  sections.push(section);
  const elements = new ElementCounter();
  for (const statement of statements) {
    if (statement.type === 'header') {
      section = { path: elements.place(statement.key, statement.array), header: statement, statements: [], pairs: [] };
      sections.push(section);
    } else {
      section.statements.push(statement);
      if (statement.type === 'pair') {
        section.pairs.push({ path: [...section.path, ...statement.pair.key], pair: statement.pair, statement });
      }
    }
  }
  return { text, statements, sections };
}

export function findPlace(document: TomlDocument, path: Path): Place {
  let isTable = false;
  for (const section of document.sections) {
    if (section.header !== undefined && startsWith(section.path, path)) isTable = true;
    for (const { path: pairPath, pair, statement } of section.pairs) {
      if (startsWith(path, pairPath)) {
        return descend(pair.value, { type: 'statement', statement }, pairPath, path);
      }
      if (startsWith(pairPath, path)) isTable = true;
    }
  }
  return isTable || path.length === 0 ? { type: 'table' } : { type: 'absent' };
}

function descend(value: ValueNode, holder: Holder, at: Path, path: Path): Place {
  const rest = path.slice(at.length);
  if (rest.length === 0) return { type: 'value', value, holder };
  if (value.type === 'scalar') return { type: 'blocked', at };
  if (value.type === 'array') {
    const [index] = rest;
    if (typeof index !== 'number') return { type: 'blocked', at };
    const item = value.items[index];
    if (item === undefined) return { type: 'gap', container: value, rest, holder };
    return descend(item.value, { type: 'entry', entries: value.items, index }, [...at, index], path);
  }
  let isTable = false;
  for (const [index, pair] of value.pairs.entries()) {
    const pairPath = [...at, ...pair.key];
    if (startsWith(path, pairPath)) {
      return descend(pair.value, { type: 'entry', entries: value.pairs, index }, pairPath, path);
    }
    if (startsWith(pairPath, path)) isTable = true;
  }
  return isTable ? { type: 'table' } : { type: 'gap', container: value, rest, holder };
}

/** Headers name the elements of an array of tables without a number; this counts them. */
class ElementCounter {
  readonly #counts = new Map<string, number>();

  place(key: readonly string[], opensElement: boolean): Path {
    const path: (string | number)[] = [];
    for (const [index, part] of key.entries()) {
      path.push(part);
      const name = JSON.stringify(path);
      const count = this.#counts.get(name);
      if (opensElement && index === key.length - 1) {
        this.#counts.set(name, (count ?? 0) + 1);
        path.push(count ?? 0);
      } else if (count !== undefined) {
        path.push(count - 1);
      }
    }
    return path;
  }
}
