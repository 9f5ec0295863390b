import { join } from 'node:path';
import { describeProblems, isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';
import { readJsonFile } from './json-file.ts';
import type { ReadStamp } from './json-file.ts';
import { describeNewerFormat, newerFormat } from '../newer-format.ts';
import { describeProblem } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';
import type { RootEntry } from './read-roots-json.ts';

const config = z.custom<PlainObject>(isPlainObject, { error: 'must be an object' });
const count = z.int().nonnegative();

/** The fields of `root.json` that a log can be made of. Later additions are left alone. */
const rootFile = z.looseObject({
  created_at: z.iso.datetime().exactOptional(),
  config: config.exactOptional(),
  title: z.string().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  deleted: z.boolean().exactOptional(),
  archived: z.boolean().exactOptional(),
  project: z.string().exactOptional(),
  child_ids: z.array(z.string()).exactOptional(),
  bookmarks: z.array(z.looseObject({ node: z.string(), title: z.string() })).exactOptional(),
  undone_files: z.array(z.looseObject({ turn: z.string(), paths: z.array(z.string()).min(1) })).exactOptional(),
  counters: z.looseObject({ node: count, blocks: z.record(z.string(), count) }).exactOptional(),
  format: z.number(),
  seq: count.catch(0),
});

/** The fields of a root of the current format beside its entry in the list of roots. */
export interface CurrentRoot {
  title?: string;
  tags: readonly string[];
  archived: boolean;
  project?: string;
  bookmarks: readonly { node: string; title: string }[];
  /** The paths of files that were restored to their state before a turn, by turn. */
  undoneFiles: readonly { turn: string; paths: readonly string[] }[];
  /** The least numbers of the next node and of each agent's next block. */
  counters: { node: number; blocks: Readonly<Record<string, number>> };
  /** The last change of its log when its file was written; 0 if the file does not give it. */
  seq: number;
  /** The state of its file when it was read. */
  stamp: ReadStamp;
}

/** A root's own file, the problems with it, or nothing: older roots have none. */
export interface RootJsonReading {
  file: string;
  found?: { entry: RootEntry; current: CurrentRoot };
  problems: NodeFileProblem[];
}

/** Reads `<root>/root.json`, which counts more than the list of roots that is derived from it. */
export function readRootJson(directory: string, root: string): RootJsonReading {
  const file = join(directory, root, 'root.json');
  const json = readJsonFile(file);
  if (!json.ok && json.problem.code === 'node-missing') return { file, problems: [] };
  const refuse = (message: string): RootJsonReading => ({
    file,
    problems: [describeProblem('root-file-invalid', file, `${message}; what roots.json says of the root is taken`)],
  });
  if (!json.ok) return refuse(json.problem.message);
  const newer = newerFormat(isPlainObject(json.value) ? json.value['format'] : undefined);
  if (newer !== undefined) {
    return { file, problems: [describeProblem('root-format-newer', file, describeNewerFormat(newer))] };
  }
  const parsed = rootFile.safeParse(json.value);
  if (!parsed.success) return refuse(describeProblems(parsed.error));
  const { created_at, title, tags = [], deleted = false, child_ids = [], bookmarks = [], counters } = parsed.data;
  const { archived = false, project, undone_files: undoneFiles = [] } = parsed.data;
  const { systemPrompt, ...rest } = parsed.data.config ?? {};
  return {
    file,
    found: {
      entry: {
        id: root,
        ...(created_at === undefined ? {} : { createdAt: created_at }),
        config: typeof systemPrompt === 'string' ? { ...rest, systemPrompt } : rest,
        childIds: child_ids,
        deleted,
        extra: {},
      },
      current: {
        ...(title === undefined ? {} : { title }),
        tags,
        archived,
        ...(project === undefined ? {} : { project }),
        bookmarks,
        undoneFiles,
        counters: counters ?? { node: 0, blocks: {} },
        seq: parsed.data.seq,
        stamp: json.stamp,
      },
    },
    problems: json.problems,
  };
}
