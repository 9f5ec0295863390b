import { useEffect, useMemo, useState } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { messageWords } from '../conversation/block-words.ts';
import type { Shape } from '../conversation/branches.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useStore } from '../stores/use-store.ts';
import { outlineRows } from './outline-rows.ts';
import type { OutlineRow } from './outline-rows.ts';
import { OutlineWords } from './outline-words.ts';
import type { OutlineLine } from './outline-words.ts';
import { isWanted } from './tree-shown.ts';
import type { TreeShown } from './tree-shown.ts';

/** The number of lines to load at once. */
const pageSize = 2000;

export interface Outline {
  readonly rows: readonly OutlineRow[];
  readonly lines: ReadonlyMap<string, OutlineLine>;
  readonly toggle: (id: string, isOpen: boolean) => void;
  /** The number of messages that match; `undefined` without a filter. */
  readonly matches: number | undefined;
  /** The number of messages folded into others. */
  readonly folded: number;
}

/** The lines of the open conversation as the reader has folded and filtered them. */
export function useOutline(filter: string, shown: TreeShown = 'everything'): Outline {
  const { ask, notices } = useLoom();
  const conversation = useConversation();
  const { root } = conversation;
  const { shape, path } = useStore(conversation.overview);
  const { bookmarks } = useStore(conversation.watch.whole).root;
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [words] = useState(
    () =>
      new OutlineWords((after) =>
        ask('tree.outline', { top: root, limit: pageSize, ...(after === undefined ? {} : { after }) }),
      ),
  );
  const lines = useStore(words.lines);
  useEffect(() => {
    // Short conversations are loaded as a whole; a failure leaves names out until the next change.
    const missing = [...shape.nodes.keys()].filter((id) => !conversation.replica.nodes.has(id));
    if (missing.length > 0) words.look(missing).catch(() => notices.speak('The outline could not be loaded.'));
  }, [shape, words, conversation, notices]);
  const query = filter.trim().toLowerCase();
  const matching = useMemo(
    () =>
      query === '' && shown === 'everything'
        ? undefined
        : matchesOf(conversation, { query, shown, lines, bookmarks, nodes: shape.nodes }),
    [query, shown, conversation, lines, bookmarks, shape],
  );
  const rows = useMemo(() => {
    const isMatch = matching === undefined ? {} : { isMatch: (id: string) => matching.has(id) };
    return outlineRows({ root, shape, path, opened, ...isMatch });
  }, [root, shape, path, opened, matching]);
  const toggle = (id: string, isOpen: boolean): void => setOpened((before) => new Map(before).set(id, isOpen));
  const folded = matching === undefined ? shape.nodes.size - rows.length : 0;
  return { rows, lines, toggle, matches: query === '' ? undefined : matching?.size, folded };
}

interface Query {
  query: string;
  shown: TreeShown;
  lines: ReadonlyMap<string, OutlineLine>;
  bookmarks: Readonly<Record<string, string>>;
  nodes: Shape['nodes'];
}

function matchesOf({ replica }: OpenConversation, { query, shown, lines, bookmarks, nodes }: Query): Set<string> {
  const found = new Set<string>();
  for (const [id, outlined] of nodes) {
    if (!isWanted(shown, outlined, bookmarks[id])) continue;
    const node = replica.nodes.get(id);
    const line = lines.get(id);
    const words = [
      node === undefined ? line?.words : messageWords(node),
      bookmarks[id],
      ...(node?.tags ?? line?.tags ?? []),
    ];
    if (words.some((text) => text?.toLowerCase().includes(query) === true)) found.add(id);
  }
  return found;
}
