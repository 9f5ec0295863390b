import { pathWords } from '@loom/blocks';
import { z } from 'zod';
import { folderName, fullPath } from '../paths.ts';

export const folderListing = z.object({
  path: z.string(),
  parent: z.string().optional(),
  git: z.enum(['repository', 'worktree']).optional(),
  folders: z.array(z.object({ name: z.string(), path: z.string(), is_repository: z.boolean().optional() })),
  recent: z.array(z.object({ path: z.string() })).default([]),
});
export type FolderListing = z.infer<typeof folderListing>;

/** A row of the folder picker: a folder to use, one to look into, or none. */
export interface FolderRow {
  readonly key: string;
  readonly kind: 'recent' | 'use' | 'open' | 'up' | 'browse' | 'none';
  readonly name: string;
  readonly detail: string;
  /** The folder to use or to look into. */
  readonly path: string;
}

interface FolderQuestion {
  readonly query: string;
  /** The folder that is looked into, if one is. */
  readonly at: string | undefined;
  readonly recent: readonly { readonly path: string }[];
  readonly listing: FolderListing | undefined;
  readonly home: string | undefined;
  /** The name of the agent that answers next, which gets an empty folder where there is none. */
  readonly agent?: string | undefined;
}

const most = 60;

/** Returns the folder whose content the picker needs: of a path that is typed, else the one that is looked into. */
export function wantedFolder({ query, at, home }: Pick<FolderQuestion, 'query' | 'at' | 'home'>): string | undefined {
  if (!isPath(query)) return at;
  return fullPath(query.slice(0, query.lastIndexOf('/') + 1) || '~', home);
}

function isPath(query: string): boolean {
  return /^(?:\/|~(?:\/|$))/u.test(query);
}

/** Returns the rows for what was typed: recent folders by their names, or the folders below a path. */
export function folderRows({ query, at, recent, listing, home, agent }: FolderQuestion): FolderRow[] {
  const short = (path: string): string => pathWords(path, { home });
  if (isPath(query)) {
    const path = fullPath(query, home).replace(/(?<=.)\/+$/u, '');
    const begun = query.endsWith('/') ? '' : folderName(query).toLowerCase();
    const inside = (listing?.folders ?? []).filter(({ name }) => name.toLowerCase().startsWith(begun));
    return [
      { key: 'use', kind: 'use', name: `Use ${short(path)}`, detail: '', path },
      ...inside.slice(0, most).map(open),
    ];
  }
  const wanted = query.trim().toLowerCase();
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted);
  if (at !== undefined) {
    const path = listing?.path ?? at;
    const inside = (listing?.folders ?? []).filter(({ name }) => matches(name));
    return [
      { key: 'use', kind: 'use', name: `Use ${folderName(path)}`, detail: short(path), path },
      ...(listing?.parent === undefined
        ? []
        : [{ key: 'up', kind: 'up' as const, name: '..', detail: short(listing.parent), path: listing.parent }]),
      ...inside.slice(0, most).map(open),
    ];
  }
  return [
    ...recent
      .filter(({ path }) => matches(short(path)))
      .map(({ path }) => ({ key: path, kind: 'recent' as const, name: folderName(path), detail: short(path), path })),
    { key: 'browse', kind: 'browse', name: 'Choose another folder…', detail: '', path: '' },
    {
      key: 'none',
      kind: 'none',
      name: 'No folder',
      detail: agent === undefined ? 'chat only, no file tools' : `${agent} gets an empty folder`,
      path: '',
    },
  ];
}

function open({ name, path, is_repository: isRepository }: FolderListing['folders'][number]): FolderRow {
  return { key: path, kind: 'open', name, detail: isRepository === true ? 'git repository' : '', path };
}
