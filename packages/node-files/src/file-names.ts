import { join } from 'node:path';
import { isPlainName, isRootName } from '@loom/stores/disk';

/** The paths of one root's files. */
export interface RootPaths {
  folder: string;
  nodes: string;
}

/** The end of the names of unfinished files. */
export const temporaryEnd = '.loom.tmp';

/** The file for the facts about a root beside its nodes, and its name in the ledger. */
export const rootFileName = 'root.json';

/** The list of all roots. */
export const rootsFileName = 'roots.json';

/** Returns the paths of a root's files, or `undefined` if its id is not a plain name: ids are not paths. */
export function rootPaths(directory: string, root: string): RootPaths | undefined {
  if (!isRootName(root)) return undefined;
  const folder = join(directory, root);
  return { folder, nodes: join(folder, 'nodes') };
}

/** Returns the ledger's name of a node's file, or `undefined` if its id is not a plain name below its root. */
export function nodeFileName(root: string, node: string): string | undefined {
  if (!node.startsWith(`${root}/`)) return undefined;
  const name = node.slice(root.length + 1);
  return isPlainName(name) ? `nodes/${name}.json` : undefined;
}

/** Returns the node whose file has a name, or `undefined` if it is not a node's. */
export function nodeOfFileName(root: string, name: string): string | undefined {
  const plain = /^nodes\/([^/]+)\.json$/u.exec(name)?.[1];
  return plain !== undefined && isPlainName(plain) ? `${root}/${plain}` : undefined;
}

/** Returns the root and the file that a path below the data directory belongs to, if any. Both kinds of separators are understood. */
export function placeOfPath(path: string): { root: string; name: string } | undefined {
  const [root, ...rest] = path.replaceAll('\\', '/').split('/');
  const name = rest.join('/');
  if (root === undefined || !isRootName(root)) return undefined;
  return name === rootFileName || nodeOfFileName(root, name) !== undefined ? { root, name } : undefined;
}
