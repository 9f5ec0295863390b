import type { Change } from '../change.ts';
import type { RootOp } from '../op.ts';
import type { RootState } from '../state/root-state.ts';
import { allBlocks } from './purge-changes.ts';

/** A place with words that are to be gone: a block, a block in an earlier version, or a conversation beside its messages. */
export interface Echo {
  root: string;
  /** Absent for titles, settings and bookmarks of a conversation. */
  block?: string;
  /** True if only an earlier version says it. */
  isEarlier: boolean;
  /** The words that were found. */
  words: string;
}

/** Finds what repeats the words of a purge: a model that was shown a key may have said it again. */
export class EchoSearch {
  readonly #blocks: ReadonlySet<string>;
  readonly #gone = new Set<string>();

  /** `blocks` are those that are purged. */
  constructor(blocks: ReadonlySet<string>) {
    this.#blocks = blocks;
  }

  /** Takes note of what the changes of a root no longer say. */
  addGone(changes: readonly Change<RootOp>[], purged: readonly Change<RootOp>[]): void {
    // Streamed text came in pieces that end anywhere.
    const streamed = new Map<string, string>();
    for (const [index, { ops }] of changes.entries()) {
      if (purged[index] === changes[index]) continue;
      const left = new Set(purged[index]?.ops.flatMap(textsOf));
      for (const op of ops) {
        const texts = textsOf(op).filter((text) => !left.has(text));
        if (op.type === 'text-appended') streamed.set(op.block, (streamed.get(op.block) ?? '') + texts.join(''));
        else for (const text of texts) this.#addWords(text);
      }
    }
    for (const text of streamed.values()) this.#addWords(text);
  }

  #addWords(text: string): void {
    for (const words of distinctive(text)) this.#gone.add(words);
  }

  /** Finds the places of a root that still say some of it; `changes` are those that it will have. */
  find(state: RootState, changes: readonly Change<RootOp>[]): Echo[] {
    const pattern = this.#pattern();
    if (pattern === undefined) return [];
    const root = state.id;
    const found = new Map<string, Echo>();
    for (const block of allBlocks(state)) {
      const { block_id: id = '' } = block;
      const words = this.#blocks.has(id) ? undefined : firstMatch(pattern, block);
      if (words !== undefined) found.set(id, { root, block: id, isEarlier: false, words });
    }
    for (const op of changes.flatMap(({ ops }) => ops)) {
      const words = firstMatch(pattern, textsOf(op));
      if (words === undefined) continue;
      const ids = blocksNamedBy(op);
      for (const block of ids) if (!found.has(block)) found.set(block, { root, block, isEarlier: true, words });
      if (ids.length === 0) found.set('', { root, isEarlier: false, words });
    }
    return [...found.values()];
  }

  #pattern(): RegExp | undefined {
    const longest = [...this.#gone].sort((one, other) => other.length - one.length).slice(0, mostWords);
    return longest.length === 0 ? undefined : new RegExp(longest.map((words) => RegExp.escape(words)).join('|'), 'u');
  }
}

/** The most words to look for. */
const mostWords = 500;

/**
 * Returns the parts of a text that would be no accident elsewhere: its long lines, and words that look like a key or are
 * very long.
 */
function distinctive(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const words = text.split(/[\s"'`“”‘’„,;(){}<>[\]]+/u).map((word) => word.replaceAll(/^[.:!?*_]+|[.:!?*_]+$/gu, ''));
  return [
    ...lines.filter(({ length }) => length >= 24 && length <= longestNeedle),
    ...words.filter(
      (word) => word.length <= longestNeedle && (word.length >= 20 || /^(?=.*\d)(?=.*\p{L}).{8,}$/u.test(word)),
    ),
  ];
}

const longestNeedle = 400;

function firstMatch(pattern: RegExp, value: unknown): string | undefined {
  for (const text of stringsIn(value)) {
    const [words] = pattern.exec(text) ?? [];
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Returns the texts of an op, without the process that runs a turn and the descriptions of tools: other conversations have the same. */
function textsOf(op: RootOp): string[] {
  return stringsIn('holder' in op ? { ...op, holder: undefined, told: undefined } : op);
}

/** All texts in a value, at any depth; ids of the forest are none. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^root-[^/\s]+(?:\/\S+)?$/u.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function blocksNamedBy(op: RootOp): string[] {
  if ('block' in op) {
    const id = typeof op.block === 'string' ? op.block : typeof op.block === 'object' ? op.block.block_id : undefined;
    if (id !== undefined) return [id];
  }
  return op.type === 'node-added' ? op.node.blocks.flatMap(({ block_id: id }) => id ?? []) : [];
}
