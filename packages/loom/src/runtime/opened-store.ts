import { openPostgresStore, openPostgresTextIndex } from '@loom/stores/postgres';
import type { PostgresStore } from '@loom/stores/postgres';
import type { DatabaseUrl } from '../command-line/store-kind.ts';
import { hostOperations } from '../host/host-operations.ts';
import { createModels } from '../models/models.ts';
import { accessOperations } from '../serve/access-operations.ts';
import { openStoredTokens } from '../serve/machines/token-documents.ts';
import { credentialsOf } from '../serve/token-file.ts';
import type { OpenTokens } from '../serve/token-file.ts';
import { connectEngine, wire } from './opened-folder.ts';
import type { OpenedFolder } from './opened-folder.ts';
import { systemClock } from './system-clock.ts';

/** The parts of Loom, wired together over a store that other processes use as well. */
export interface OpenedStore extends Omit<OpenedFolder, 'adoption' | 'store'> {
  store: PostgresStore;
  openTokens: OpenTokens;
  /** Begins to enter into the search index what is written, for a process that stays. */
  followTexts: () => void;
}

/** The parts that belong to the files of one machine, in words. */
export const withoutFolder =
  'node files, agents, tools for files and commands, and --follow: they belong to the files of one machine';

/** The groups of tools that act on the files of a machine: which machine it were would be chance. */
const toolsOfMachine: readonly (string | undefined)[] = ['files', 'shell'];

/** The operations that read files of a machine or run programs on it: a load balancer would choose which. */
export const operationsOfMachine: ReadonlySet<string> = new Set([
  'command.move_to_background',
  'command.run_again',
  'command.stop',
  'commit.turns',
  'file.blame',
  'folder.files',
  'folder.get',
  'folder.list',
  'folder.read_file',
  'import.follow',
  'instructions.get',
  'process.list',
  'process.output',
  'process.stop',
  'sandbox.get',
  'turn.changes',
  'worktree.create',
  'worktree.merge',
]);

/**
 * Wires an engine over a store that any number of processes share. Only the settings and keys of this process are read from its folder. What
 * belongs to the files of one machine is left out.
 */
async function openSharedStore({ url, dataDir }: { url: DatabaseUrl; dataDir: string }): Promise<OpenedStore> {
  const models = createModels({ dataDir, env: process.env, clock: systemClock });
  const store = await openPostgresStore({ url });
  const openTokens = openStoredTokens(store);
  const index = openPostgresTextIndex({ url, store });
  const wired = wire({
    dataDir,
    models,
    index,
    operations: [...hostOperations(models, store), ...accessOperations(openTokens)],
    credentials: credentialsOf(openTokens),
  });
  const { tools, providers, operations, folders: _folders, ...parts } = wired;
  const opened = connectEngine({
    ...parts,
    dataDir,
    store,
    lost: new Map(),
    operations: () => listOf(operations ?? []).filter(({ name }) => !operationsOfMachine.has(name)),
    tools: () =>
      listOf(tools).filter(({ group, needsFolder }) => !toolsOfMachine.includes(group) && needsFolder !== true),
    providers: () => listOf(providers).filter(({ runsTools }) => runsTools !== true),
    async close() {
      await index.close();
      await store.close();
    },
  });
  opened.engine.keepWatch();
  return { ...opened, store, openTokens, followTexts: () => index.follow() };
}

function listOf<T>(given: readonly T[] | (() => readonly T[])): readonly T[] {
  return typeof given === 'function' ? given() : given;
}

/** Runs `work` with such a store. */
export async function withSharedStore<Result>(
  options: { url: DatabaseUrl; dataDir: string },
  work: (loom: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const opened = await openSharedStore(options);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
