import { isPlainObject } from '@loom/blocks';
import { origin } from '../op.ts';
import type { Origin, RootConfig } from '../op.ts';
import type { RootState } from '../state/root-state.ts';

/** Knows lines of other programs that importers keep as they came. */
export interface KeptLinesPort {
  /** Returns whether lines that are kept in these blobs may mention any of some names. Without it they may. */
  mayMention?(lines: readonly string[], names: readonly string[]): Promise<boolean>;
}

/** The blobs that hold the lines of a root, in the order in which they were read. */
export function keptLinesOf(state: RootState): string[] {
  return [...state.nodes.values()].flatMap(({ note }) => {
    const lines = note?.['lines'];
    if (!Array.isArray(lines)) return [];
    return lines.flatMap((entry: unknown) =>
      isPlainObject(entry) && typeof entry['blob'] === 'string' ? [entry['blob']] : [],
    );
  });
}

/** The names that a root, and the nodes of some of its blocks or all of them, have where they came from. */
export function namesElsewhere({ config, nodes, nodeOfBlock }: RootState, blocks?: ReadonlySet<string>): string[] {
  const ids = blocks === undefined ? nodes.keys() : [...blocks].flatMap((block) => nodeOfBlock.get(block) ?? []);
  const names = [...ids].flatMap((id) => nodes.get(id)?.origin?.id ?? []);
  const own = originOf(config);
  return own === undefined ? names : [own.id, ...names];
}

/**
 * Finds lines with purged words that are kept with another conversation: a file that holds several is kept with the first of
 * them alone. They are known by the names that conversations and messages have in it.
 */
export class SharedLines {
  readonly #port: KeptLinesPort;
  /** The names, by source. */
  readonly #names = new Map<string, Set<string>>();

  constructor(port: KeptLinesPort) {
    this.#port = port;
  }

  /** Takes note of a conversation of which something is purged. */
  add({ config }: RootState, names: readonly string[]): void {
    const { source } = originOf(config) ?? {};
    if (source === undefined) return;
    const known = this.#names.get(source) ?? new Set();
    for (const name of names) known.add(name);
    this.#names.set(source, known);
  }

  /** Returns true if the lines of another conversation may hold purged words. */
  async areIn(state: RootState): Promise<boolean> {
    const names = this.#names.get(originOf(state.config)?.source ?? '');
    const lines = names === undefined ? [] : keptLinesOf(state);
    if (names === undefined || lines.length === 0) return false;
    return this.#port.mayMention === undefined || this.#port.mayMention(lines, [...names]);
  }
}

function originOf(config: RootConfig): Origin | undefined {
  return origin.safeParse(config['origin']).data;
}
