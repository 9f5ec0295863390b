import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { refuse } from '@loom/kernel';
import type { ImportPort, LoomEngine, Refused } from '@loom/kernel';
import { discover, filesIn, foldersOf } from './discovery.ts';
import { EmptyFileRecord, EmptyFiles, readersOf } from './empty-files.ts';
import type { RecordStore } from './empty-files.ts';
import { Following } from './following.ts';
import type { ForeignFormat, FoundFile } from './format.ts';
import { formats } from './formats/formats.ts';
import { runImport } from './import-run.ts';
import type { ImportRequest, ImportSetup } from './import-run.ts';
import { knownSources } from './known-sources.ts';
import type { Home } from './known-sources.ts';
import { Origins } from './origins.ts';
import type { ImportRemark } from './reporting/import-remarks.ts';
import { RemarkList } from './reporting/remark-list.ts';

/** Uploaded files, until they are imported. */
export interface Uploads {
  /** Returns the file of an upload, with the ending of its name; `undefined` if it does not exist. */
  take(upload: string, name: string): Promise<FoundFile | undefined>;
  discard(upload: string): Promise<void>;
}

export interface ImportPortOptions {
  home: Home;
  uploads: Uploads;
  newId: () => string;
  /** Called with failures while files are followed. */
  failed: (error: unknown) => void;
  /** Remembers, between two runs of Loom, the files that hold nothing to import. */
  emptyFiles?: RecordStore;
  /** Further forms of history, which are tried first. */
  formats?: readonly ForeignFormat[];
}

/** Creates the port that imports into the forest of an engine, on the machine that it runs on. */
export function createImportPort(options: ImportPortOptions): ImportPort {
  const { home, uploads, newId, failed, formats: more = [] } = options;
  const all = [...more, ...formats];
  const empty = new EmptyFiles();
  const origins = new Origins(empty);
  const record = new EmptyFileRecord(empty, options.emptyFiles, readersOf(all));
  const remarks = new RemarkList();
  let following: FollowingJob | undefined;
  const setupOf = (engine: LoomEngine): ImportSetup => {
    const { forest, blobs } = engine;
    return { forest, blobs, newId, origins, formats: all, settle: (root) => engine.open(root) };
  };
  return {
    async discover({ forest }) {
      await record.load();
      return discover(home, forest, empty);
    },
    isFollowing: () => following !== undefined,
    remarks: () => remarks.list(),
    async prepare({ paths, uploads: sent, sources, again }) {
      for (const [index, path] of paths.entries()) {
        const problem = await problemOf(path);
        if (problem !== undefined)
          return refuse({ reason: 'invalid-params', problems: [{ path: ['paths', index], problem }] });
      }
      const received: FoundFile[] = [];
      for (const [index, { upload, name }] of sent.entries()) {
        const file = await uploads.take(upload, name);
        const problem = 'there is no such upload: it was imported already, or the server was started again';
        if (file === undefined)
          return refuse({ reason: 'invalid-params', problems: [{ path: ['uploads', index, 'upload'], problem }] });
        received.push(file);
      }
      const unknown = unknownSource(sources);
      if (unknown !== undefined) return unknown;
      return {
        ok: true,
        value: async (engine, job) => {
          const isGiven = paths.length + received.length > 0;
          await record.load();
          const histories = isGiven ? { found: received } : await findHistories(home, sources);
          try {
            return await runImport(setupOf(engine), { paths, again, ...histories }, job);
          } finally {
            for (const { upload } of sent) await uploads.discard(upload);
            await record.save().catch(failed);
          }
        },
      };
    },
    async follow(engine, on, sources) {
      const unknown = unknownSource(sources);
      if (unknown !== undefined) return unknown;
      if (on && following === undefined) {
        const folders = foldersOf(home, sources);
        const remarked = (remark: ImportRemark): void => remarks.add(remark);
        const started = followAsJob(engine, new Following({ setup: setupOf(engine), folders, failed, remarked }));
        following = started;
        void started.over.catch(failed).then(() => (following = undefined));
        await started.ready;
      } else if (!on) await following?.end();
      return { ok: true, value: undefined };
    },
  };
}

interface FollowingJob {
  /** Resolves once the existing content is imported. */
  readonly ready: Promise<void>;
  readonly over: Promise<void>;
  end(): Promise<void>;
}

/** Follows as long as the engine runs, or until it is ended. The engine waits until everything that was read is durable. */
function followAsJob({ jobs }: LoomEngine, following: Following): FollowingJob {
  const ready = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const about = { kind: 'import.follow', agent: 'import', words: 'Following what agents write' };
  const over = jobs.run(about, async ({ signal }) => {
    signal.addEventListener('abort', () => ending.resolve(), { once: true });
    try {
      await Promise.race([following.start(), ending.promise]);
      ready.resolve();
      await ending.promise;
    } finally {
      ready.resolve();
      await following.stop();
    }
  });
  return {
    ready: ready.promise,
    over,
    end() {
      ending.resolve();
      return over;
    },
  };
}

function unknownSource(sources: readonly string[] | undefined): Refused | undefined {
  const known = knownSources.map(({ source }) => source);
  const unknown = sources?.findIndex((source) => !known.includes(source)) ?? -1;
  if (unknown === -1) return undefined;
  const problem = `is none of ${known.join(', ')}`;
  return refuse({ reason: 'invalid-params', problems: [{ path: ['sources', unknown], problem }] });
}

async function problemOf(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'must be the whole path of a file or a folder';
  try {
    await access(path);
    return undefined;
  } catch {
    return 'there is no such file or folder, or it cannot be read';
  }
}

/** Returns the files of the histories that are found automatically. */
async function findHistories(
  home: Home,
  sources: readonly string[] | undefined,
): Promise<Required<Pick<ImportRequest, 'found' | 'unread'>>> {
  const found: FoundFile[] = [];
  const unread = new Map<string, Error>();
  for (const { known, folder } of foldersOf(home, sources))
    found.push(...(await filesIn(known, folder, (path, error) => unread.set(path, error))));
  return { found, unread };
}
