import { defineOperation, readRootSettings, refuse, refuseLimited, rootId, suffices } from '@loom/kernel';
import type { Caller, LoomEngine, Operation, Refused } from '@loom/kernel';
import { z } from 'zod';

/** Rows about the folders of this computer, for people who choose one for a conversation, or a file in it. */
export function folderOperations(home: string): Operation[] {
  return [
    defineOperation({
      name: 'folder.list',
      summary: 'Lists the folders in a folder of this computer, and those that conversations have used lately.',
      params: () =>
        z.strictObject({
          path: z.string().min(1).max(4096).exactOptional().describe('An absolute path. Default: the home folder.'),
        }),
      result: () =>
        z.strictObject({
          path: z.string(),
          parent: z.string().exactOptional().describe('The folder above. Absent at the top.'),
          git: z
            .enum(['repository', 'worktree'])
            .exactOptional()
            .describe('Present if it lies in a git repository, or in a worktree beside one.'),
          folders: z.array(
            z.strictObject({
              name: z.string(),
              path: z.string(),
              is_repository: z.literal(true).exactOptional().describe('Whether it is the top of a git repository.'),
            }),
          ),
          recent: z.array(
            z.strictObject({
              path: z.string(),
              last_used: z.string().describe('When a conversation in it last changed.'),
            }),
          ),
        }),
      effect: 'reads',
      role: 'owner',
      run: async (engine, caller, { path = home }) => {
        const denied = refuseLimited(caller, 'folder.list');
        if (denied !== undefined) return denied;
        const { listFolders } = await import('./list-folders.ts');
        const listed = await listFolders(path);
        if (typeof listed === 'string') return refuseFolder('path', listed);
        return { ok: true, value: { ...listed, recent: await recentFolders(engine, caller) } };
      },
    }),
    defineOperation({
      name: 'folder.get',
      summary:
        'Returns the folders of some conversations as they are now: whether each is still there, and its git branch.',
      params: () => z.strictObject({ roots: z.array(rootId).min(1).max(200).describe('The conversations.') }),
      result: () =>
        z.strictObject({
          items: z.array(
            z.strictObject({
              root: z.string(),
              directory: z.string(),
              exists: z.boolean(),
              branch: z.string().exactOptional().describe('The git branch that is checked out there.'),
              repository: z
                .string()
                .exactOptional()
                .describe('The top of the git repository; for a worktree, of the one that it belongs to.'),
              worktree: z.literal(true).exactOptional().describe('It is a worktree of that repository.'),
            }),
          ),
        }),
      effect: 'reads',
      run: async (engine, _caller, { roots }) => {
        const { readFolderFacts } = await import('./folder-facts.ts');
        const items = [];
        for (const root of new Set(roots)) {
          const directory = await folderOf(engine, root);
          if (directory !== undefined) items.push({ root, directory, ...(await readFolderFacts(directory)) });
        }
        return { ok: true, value: { items } };
      },
    }),
    defineOperation({
      name: 'folder.files',
      summary:
        "Finds files of a conversation's folder by a part of their path; files that .gitignore names are left out.",
      params: () =>
        z.strictObject({
          root: rootId.exactOptional().describe('The conversation.'),
          directory: z
            .string()
            .min(1)
            .max(4096)
            .exactOptional()
            .describe('Instead of a conversation: the folder of one that an owner is about to begin.'),
          match: z
            .string()
            .max(200)
            .exactOptional()
            .describe('Letters of the path, in their order. Default: any path.'),
          limit: z.int().min(1).max(1000).exactOptional().describe('At most this many. Default: 50.'),
        }),
      result: () => z.strictObject({ items: z.array(z.strictObject({ path: z.string() })) }),
      effect: 'reads',
      run: async (engine, caller, { root, directory: begun, match = '', limit = 50 }) => {
        if ((root === undefined) === (begun === undefined))
          return refuseFolder('root', 'or directory must be given, and not both');
        const denied = begun === undefined ? undefined : refuseOthers(caller, 'folder.files');
        if (denied !== undefined) return denied;
        const directory = root === undefined ? begun : await folderOf(engine, root);
        if (directory === undefined) return { ok: true, value: { items: [] } };
        const { findFiles } = await import('./find-files.ts');
        const paths = await findFiles(directory, match, limit);
        return { ok: true, value: { items: paths.map((path) => ({ path })) } };
      },
    }),
    defineOperation({
      name: 'folder.read_file',
      summary:
        "Reads a file of a conversation's folder to go with a message: text up to 1 MB, or a picture or PDF up to 20 MB as a blob.",
      params: () =>
        z.strictObject({
          root: rootId.exactOptional().describe('The conversation.'),
          directory: z
            .string()
            .min(1)
            .max(4096)
            .exactOptional()
            .describe('Instead of a conversation: the folder of one that is about to begin.'),
          path: z.string().min(1).max(4096).describe('The path below the folder, as folder.files names it.'),
        }),
      result: () =>
        z.strictObject({
          path: z.string().describe('The path that it really has.'),
          size: z.int().nonnegative().describe('In bytes.'),
          text: z.string().exactOptional(),
          media_type: z.string().exactOptional(),
          blob: z.string().exactOptional().describe('The content of a picture or PDF.'),
        }),
      effect: 'reads',
      role: 'owner',
      run: async (engine, caller, { root, directory: begun, path }) => {
        if ((root === undefined) === (begun === undefined))
          return refuseFolder('root', 'or directory must be given, and not both');
        const denied = begun === undefined ? undefined : refuseOthers(caller, 'folder.read_file');
        if (denied !== undefined) return denied;
        const directory = root === undefined ? begun : await folderOf(engine, root);
        if (directory === undefined) return refuseFolder('root', 'is a conversation without a folder');
        const { readAttached } = await import('./read-attached.ts');
        const read = await readAttached(directory, path, engine.blobs);
        return typeof read === 'string' ? refuseFolder('path', read) : { ok: true, value: read };
      },
    }),
  ];
}

/** Refuses callers who may not choose a folder: all but owners of everything. */
function refuseOthers(caller: Caller, operation: string): Refused | undefined {
  if (!suffices(caller.role, 'owner')) return refuse({ reason: 'not-permitted', needs: 'owner', operation });
  return refuseLimited(caller, operation);
}

async function folderOf(engine: LoomEngine, root: string): Promise<string | undefined> {
  const { value } = await engine.forest.log(root).read((state) => readRootSettings(state.config).directory);
  return value === '' ? undefined : value;
}

/** Refuses a folder that cannot be used; `problem` is the end of a sentence about it. */
function refuseFolder(parameter: string, problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path: [parameter], problem }] });
}

/** Returns the folders of the conversations that changed last, each once. */
async function recentFolders(engine: LoomEngine, caller: Caller): Promise<{ path: string; last_used: string }[]> {
  const listed = await engine.call('root.list', caller, { limit: mostLooked });
  const recent = new Map<string, string>();
  for (const { config, updated } of listed.ok ? listed.value.items : []) {
    const { directory } = readRootSettings(config);
    if (directory === undefined || engine.projects.isScratch(directory)) continue;
    if (!recent.has(directory)) recent.set(directory, updated);
    if (recent.size === mostRecent) break;
  }
  return Array.from(recent, ([path, last_used]) => ({ path, last_used }));
}

const mostLooked = 300;
const mostRecent = 8;
