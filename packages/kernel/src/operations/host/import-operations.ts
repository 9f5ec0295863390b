import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import type { JobHandle } from '../../jobs/jobs.ts';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import { once } from '../../once.ts';

const count = z.int().nonnegative();

/** The report of an import. `lines_read` is the sum of the three counts behind it. */
export const importReport = once(() =>
  z.strictObject({
    files: count.describe('Files that were read.'),
    files_unchanged: count.describe('Files that have not changed since they were last read.'),
    files_unknown: count.describe('Files that are not a history Loom can read. They were left alone.'),
    lines_read: count.describe('Lines in these files, or records if the file is one document.'),
    lines_used: count,
    lines_raw: count.describe(
      'Lines of a kind that Loom does not know, or with an id that already belongs to other text. They are kept unchanged.',
    ),
    lines_reported: count.describe('Lines that cannot be read; the warnings say why.'),
    roots_added: count,
    nodes_added: count,
    blocks_added: count,
    sources: z
      .record(z.string(), z.strictObject({ files: count, roots_added: count, nodes_added: count }))
      .describe('The same counts for each program, by its name in origins.'),
    roots: z.array(z.string()).describe('The conversations that the files belong to; at most 1,000.'),
    unknown_kinds: z.record(z.string(), count).describe('How often each unknown kind of line occurred.'),
    warnings: z.array(z.string()),
    secrets: count
      .exactOptional()
      .describe('Keys, tokens and passwords in messages that were added, if there are any. secret.scan lists them.'),
    cancelled: z.boolean(),
  }),
);
export type ImportReport = z.infer<ReturnType<typeof importReport>>;

const discovered = once(() =>
  z.strictObject({
    source: z.string().describe('The name of the program in origins.'),
    name: z.string().describe('The display name of the program.'),
    folders: z.array(z.string()).describe('Where its history was found.'),
    sessions: z.int(),
    bytes: z.int(),
    imported: z
      .int()
      .describe('The number of sessions whose current state is in Loom, or that hold nothing to import.'),
    newest: z.string().exactOptional().describe('When a session was last written, as ISO 8601 in UTC.'),
  }),
);

/** An order to import files. */
export interface ImportOrder {
  paths: readonly string[];
  /** Files that were sent to the server, with what people call them. */
  uploads: readonly { upload: string; name: string }[];
  sources: readonly string[] | undefined;
  again: boolean;
}

/** The port that finds and reads the histories of other programs on the machine that Loom runs on. */
export interface ImportPort {
  discover(engine: LoomEngine): Promise<z.infer<ReturnType<typeof discovered>>[]>;
  /** Begins an import, or says why it cannot: a path that is not there, a program that is not known. */
  prepare(order: ImportOrder): Promise<Outcome<(engine: LoomEngine, job: JobHandle) => Promise<ImportReport>>>;
  /** Follows only these programs, or all that are known. Returns a refusal if a name of a program is wrong. */
  follow(engine: LoomEngine, on: boolean, sources: readonly string[] | undefined): Promise<Outcome<void>>;
  isFollowing(): boolean;
  /** Returns the remarks for people about imports made while agents were followed. */
  remarks(): readonly { number: number; text: string }[];
}

const remarks = once(() =>
  z
    .array(z.strictObject({ number: z.int(), text: z.string() }))
    .describe(
      'Notes for people about what was imported while following agents: the last 100, numbered consecutively while Loom runs.',
    ),
);

function followingOf(port: ImportPort): { following: boolean; remarks: z.infer<ReturnType<typeof remarks>> } {
  return { following: port.isFollowing(), remarks: [...port.remarks()] };
}

/** Rows about the histories of other programs, which are an owner's: they read files of the machine. */
export function importOperations(port: ImportPort) {
  return [
    defineOperation({
      name: 'source.list',
      summary:
        'Finds the agent sessions on this machine (Claude Code, Codex, Gemini CLI, opencode, pi), with counts and sizes. Reads only names and sizes.',
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          items: z.array(discovered()),
          following: z.boolean().describe('Whether Loom imports what agents write while they work.'),
          remarks: remarks(),
        }),
      effect: 'reads',
      role: 'owner',
      run: async (engine) => ({
        ok: true,
        value: { items: await port.discover(engine), ...followingOf(port) },
      }),
    }),
    defineOperation({
      name: 'import.start',
      summary:
        'Starts a job that imports histories of other programs: the ones that source.list finds, files and folders by path, or files sent to POST /api/v1/uploads, which are deleted when the job ends. Conversations imported before are recognized and extended; what people have changed stays. Returns the job at once; job.get returns its report.',
      params: () =>
        z.strictObject({
          paths: z
            .array(z.string().min(1))
            .max(1000)
            .default([])
            .describe(
              'Files and folders on the machine that Loom runs on. Default, if there are no uploads either: what source.list finds.',
            ),
          uploads: z
            .array(
              z.strictObject({
                upload: z.string().describe('The id that POST /api/v1/uploads returned.'),
                name: z.string().min(1).max(255).describe('The name of the file; its extension hints at the format.'),
              }),
            )
            .max(100)
            .default([]),
          sources: z
            .array(z.string())
            .max(100)
            .exactOptional()
            .describe('Only the sessions of these programs, of those that source.list finds.'),
          again: z
            .boolean()
            .default(false)
            .describe('Read files again even if they have not changed since they were imported.'),
        }),
      result: () =>
        z.strictObject({
          job: z.string().describe(`The id of the job. Its result: {${Object.keys(importReport().shape).join(', ')}}.`),
        }),
      effect: 'changes',
      role: 'owner',
      run: async (engine, caller, { paths, uploads, sources, again }) => {
        const prepared = await port.prepare({ paths, uploads, sources, again });
        if (!prepared.ok) return prepared;
        const about = { kind: 'import.start', agent: caller.agent, words: 'Looking for files' };
        const job = engine.jobs.start(about, (handle) => prepared.value(engine, handle));
        return { ok: true, value: { job } };
      },
    }),
    defineOperation({
      name: 'import.follow',
      summary:
        'Starts or stops importing what agents on this machine write while they work. Existing sessions are imported first. Lasts until Loom exits.',
      params: () =>
        z.strictObject({
          on: z.boolean(),
          sources: z
            .array(z.string())
            .max(100)
            .exactOptional()
            .describe(
              'Only what these programs write, of those that source.list finds. Programs that are already followed stay followed.',
            ),
        }),
      result: () =>
        z.strictObject({
          following: z.boolean(),
          remarks: remarks(),
        }),
      effect: 'changes',
      role: 'owner',
      run: async (engine, _caller, { on, sources }) => {
        const done = await port.follow(engine, on, sources);
        if (!done.ok) return done;
        return { ok: true, value: followingOf(port) };
      },
    }),
  ] as const;
}
