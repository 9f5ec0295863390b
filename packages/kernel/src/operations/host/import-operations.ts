import { z } from 'zod';
import type { LoomEngine } from '../../engine.ts';
import type { JobHandle } from '../../jobs/jobs.ts';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';

const count = z.int().nonnegative();

/** What came of an import. `lines_read` is the sum of the three behind it. */
export const importReport = z.strictObject({
  files: count.describe('Files that were read.'),
  files_unchanged: count.describe('Files that were read before and have not changed since.'),
  files_unknown: count.describe('Files that are no history that Loom can read. They were left alone.'),
  lines_read: count.describe('Lines of these files; of documents, records.'),
  lines_used: count,
  lines_raw: count.describe(
    'Lines of kinds that Loom does not know, or under a name that other words have already. They are kept as they came.',
  ),
  lines_reported: count.describe('Lines that cannot be read; the warnings say why.'),
  roots_added: count,
  nodes_added: count,
  blocks_added: count,
  roots: z.array(z.string()).describe('Conversations that what was read belongs to; at most 1,000.'),
  unknown_kinds: z.record(z.string(), count).describe('How often each unknown kind of line came.'),
  warnings: z.array(z.string()),
  cancelled: z.boolean(),
});
export type ImportReport = z.infer<typeof importReport>;

const discovered = z.strictObject({
  source: z.string().describe('What the program is called in origins.'),
  name: z.string().describe('What people call it.'),
  folders: z.array(z.string()).describe('Where its history was found.'),
  sessions: z.int(),
  bytes: z.int(),
  imported: z.int().describe('How many of the sessions are in Loom as they are now.'),
  newest: z.string().exactOptional().describe('When something was last written, as ISO 8601 in UTC.'),
});

/** What is to be taken in. */
export interface ImportOrder {
  paths: readonly string[];
  /** Files that were sent to the server, with what people call them. */
  uploads: readonly { upload: string; name: string }[];
  sources: readonly string[] | undefined;
  again: boolean;
}

/** What finds and reads the histories of other programs on the machine that Loom runs on. */
export interface ImportPort {
  discover(engine: LoomEngine): Promise<z.infer<typeof discovered>[]>;
  /** Begins an import, or says why it cannot: a path that is not there, a program that is not known. */
  prepare(order: ImportOrder): Promise<Outcome<(engine: LoomEngine, job: JobHandle) => Promise<ImportReport>>>;
  /** Only these programs, or all that are known. Answers with what is wrong with the names of programs. */
  follow(engine: LoomEngine, on: boolean, sources: readonly string[] | undefined): Promise<Outcome<void>>;
  isFollowing(): boolean;
  /** What people should know about what was taken in while agents were followed. */
  remarks(): readonly { number: number; text: string }[];
}

const remarks = z
  .array(z.strictObject({ number: z.int(), text: z.string() }))
  .describe(
    'What people should know about what was taken in while agents were followed: the last 100, numbered through as long as Loom runs.',
  );

function followingOf(port: ImportPort): { following: boolean; remarks: z.infer<typeof remarks> } {
  return { following: port.isFollowing(), remarks: [...port.remarks()] };
}

/** Rows about the histories of other programs, which are an owner's: they read files of the machine. */
export function importOperations(port: ImportPort) {
  return [
    defineOperation({
      name: 'source.list',
      summary:
        'Finds the sessions of agents on this machine (Claude Code, Codex, Gemini CLI, opencode, pi), with counts and sizes. Nothing is read but names and sizes.',
      params: z.strictObject({}),
      result: z.strictObject({
        items: z.array(discovered),
        following: z.boolean().describe('Whether what agents write is taken in while they work.'),
        remarks,
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
        'Begins to take in histories of other programs: those that source.list finds, files and folders by their paths, or files that were sent to POST /api/v1/uploads, which are deleted when the job ends. What was taken in before is found again and grows; what people have changed stays. Answers with a job at once; job.get has the report of it.',
      params: z.strictObject({
        paths: z
          .array(z.string().min(1))
          .max(1000)
          .default([])
          .describe(
            'Files and folders on the machine that Loom runs on. Without any, and without uploads: what source.list finds.',
          ),
        uploads: z
          .array(
            z.strictObject({
              upload: z.string().describe('As POST /api/v1/uploads has answered.'),
              name: z.string().min(1).max(255).describe('What the file is called; its ending says what it may be.'),
            }),
          )
          .max(100)
          .default([]),
        sources: z
          .array(z.string())
          .max(100)
          .exactOptional()
          .describe('Only those of these programs, of what source.list finds.'),
        again: z.boolean().default(false).describe('Reads files again that have not changed since they were taken in.'),
      }),
      result: z.strictObject({
        job: z.string().describe(`The id of the job. Its result: {${Object.keys(importReport.shape).join(', ')}}.`),
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
        'Takes in what agents on this machine write while they work, or stops doing so. What is there is taken in first. It lasts until Loom ends.',
      params: z.strictObject({
        on: z.boolean(),
        sources: z
          .array(z.string())
          .max(100)
          .exactOptional()
          .describe('Only what these programs write, of what source.list finds. What is followed already stays so.'),
      }),
      result: z.strictObject({
        following: z.boolean(),
        remarks,
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
