import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { failedWith } from '@loom/stores/disk';
import { nodeFileName, rootFileName, rootPaths } from './file-names.ts';
import { machineNodeFiles } from './node-files-port.ts';
import { noteEnd, Quarantine } from './intake/quarantine.ts';

/** The nodes and roots that no file may hold any longer. */
export interface ForgottenNodes {
  /** Roots of which all files go. */
  roots: readonly string[];
  /** Nodes whose files go, by root. */
  nodes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Removes the files of nodes and roots, and all quarantined copies of them. Must be called before the logs forget something: a file that says more
 * than its log would be taken for an edit by hand. The process that has the root open, or opens it next, writes the files again.
 */
export async function forgetCopies(directory: string, { roots, nodes }: ForgottenNodes): Promise<void> {
  for (const root of roots) await forgetRoot(directory, root);
  for (const [root, list] of nodes) await forgetFiles(directory, root, list);
}

/** Removes all files of a root but its log, and all quarantined copies of them. */
async function forgetRoot(directory: string, root: string): Promise<void> {
  const paths = rootPaths(directory, root);
  if (paths === undefined) return;
  for (const path of [paths.nodes, join(paths.folder, rootFileName)]) await rm(path, { recursive: true, force: true });
  for (const { file, kept } of await new Quarantine(directory, machineNodeFiles).list()) {
    if (!file.replaceAll('\\', '/').startsWith(`${root}/`)) continue;
    for (const path of [kept, `${kept}${noteEnd}`]) await rm(path, { force: true });
  }
}

/** Removes the files of nodes and that of their root, which may quote them, and all quarantined copies of them. */
async function forgetFiles(directory: string, root: string, nodes: readonly string[]): Promise<string[]> {
  const folder = rootPaths(directory, root)?.folder;
  const names = new Set([rootFileName, ...nodes.flatMap((node) => nodeFileName(root, node) ?? [])]);
  const paths = folder === undefined ? [] : [...names].map((name) => join(folder, name));
  for (const { file, kept, reason } of await new Quarantine(directory, machineNodeFiles).list()) {
    const [first, ...rest] = file.replaceAll('\\', '/').split('/');
    // Unreadable changes may contain any text of their conversation.
    const isMeant = reason === 'unreadable-changes' || names.has(rest.join('/'));
    if (first === root && isMeant) paths.push(kept, `${kept}${noteEnd}`);
  }
  const removed: string[] = [];
  for (const path of paths) {
    const isThere = await rm(path).then(
      () => true,
      (error: unknown) => {
        if (failedWith(error, 'ENOENT')) return false;
        throw error;
      },
    );
    if (isThere) removed.push(path);
  }
  return removed;
}
