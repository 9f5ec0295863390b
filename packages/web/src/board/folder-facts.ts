import { useEffect, useState } from 'react';
import { z } from 'zod';
import { useWorkHost } from '../work/work-host.ts';
import type { BoardRow } from './board.ts';

/** The folder of a conversation as it is on the disk. */
export interface FolderFacts {
  readonly exists: boolean;
  readonly branch?: string | undefined;
  readonly repository?: string | undefined;
  readonly isWorktree: boolean;
}

const answer = z.object({
  items: z.array(
    z.object({
      root: z.string(),
      exists: z.boolean(),
      branch: z.string().optional(),
      repository: z.string().optional(),
      worktree: z.boolean().optional(),
    }),
  ),
});

/** Reads the folders of some conversations. */
async function readFolders(
  ask: (name: string, params: unknown) => Promise<unknown>,
  roots: readonly string[],
): Promise<ReadonlyMap<string, FolderFacts>> {
  if (roots.length === 0) return new Map();
  const { items } = answer.parse(await ask('folder.get', { roots }));
  return new Map(
    items.map(({ root, exists, branch, repository, worktree = false }) => [
      root,
      { exists, branch, repository, isWorktree: worktree },
    ]),
  );
}

/** Returns the folders of the conversations on the board, by conversation; they are read again when other ones are there. */
export function useFolders(rows: readonly BoardRow[]): ReadonlyMap<string, FolderFacts> {
  const { ask } = useWorkHost();
  const [folders, setFolders] = useState<ReadonlyMap<string, FolderFacts>>(new Map());
  const placed = rows.filter(({ directory }) => directory !== undefined).map(({ root, state }) => `${root} ${state}`);
  const key = [...new Set(placed)].sort().join('\n');
  useEffect(() => {
    let isOver = false;
    const roots = [...new Set(key.split('\n').flatMap((line) => line.split(' ')[0] || []))].slice(0, most);
    // Without them the folder alone is named: a server without Loom's tools does not know them.
    readFolders(ask, roots).then(
      (found) => isOver || setFolders(found),
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [ask, key]);
  return folders;
}

const most = 200;
