import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { refuseLimited } from '../permission.ts';
import { knownRootId, placeId } from '../../forest/ids.ts';
import type { JobHandle } from '../../jobs/jobs.ts';
import { once } from '../../once.ts';

/** The forms in which a conversation can be given away. */
const fileFormats = ['markdown', 'html', 'jsonl', 'ai-sdk', 'openai', 'anthropic'] as const;
export const exportFormats = [...fileFormats, 'claude-code', 'codex'] as const;
export type FileFormat = (typeof fileFormats)[number];
export type ExportFormat = (typeof exportFormats)[number];

const secretsInIt = () =>
  z
    .array(
      z.strictObject({
        kind: z.string().describe('The kind of secret, such as GitHub token.'),
        masked: z.string().describe('Its first and last characters at most.'),
        count: z.int().describe('How often it occurs.'),
      }),
    )
    .describe('Secrets in what was written, or that were replaced; at most 1,000.');

const exported = once(() =>
  z.strictObject({
    blob: z.string().describe('The id of the blob that holds the export.'),
    bytes: z.int(),
    name: z.string().describe('A suggested file name.'),
    media_type: z.string(),
    notes: z.array(z.string()).describe('What the format could not express, and what that means.'),
    secrets: secretsInIt(),
    session: z
      .strictObject({
        id: z.string().describe('The id of the session in the other program.'),
        path: z.string().describe('The path where the program looks for the file, relative to its own folder.'),
        command: z.array(z.string()).describe('The command that continues the session.'),
      })
      .exactOptional()
      .describe('For claude-code and codex: how to continue the conversation there.'),
  }),
);
export type ExportAnswer = z.infer<ReturnType<typeof exported>>;

/** The result of a job that wrote many conversations. */
export const archiveReport = once(() =>
  z.strictObject({
    archive: z
      .strictObject({
        blob: z.string().describe('The id of the blob that holds the zip archive.'),
        bytes: z.int(),
        name: z.string().describe('A suggested file name.'),
        media_type: z.string(),
      })
      .exactOptional()
      .describe('Absent if the job was cancelled, or nothing could be written.'),
    files: z.int().describe('The conversations in it.'),
    secrets: secretsInIt(),
    unread: z
      .array(z.strictObject({ root: z.string(), why: z.string() }))
      .describe('Conversations that are not in it: deleted, gone or damaged ones.'),
    cancelled: z.boolean(),
  }),
);
export type ArchiveReport = z.infer<ReturnType<typeof archiveReport>>;

/** An order to write many conversations into one archive. */
export interface ArchiveOrder {
  roots: readonly string[];
  format: FileFormat;
  /** Writes dots in the place of secrets. */
  replacesSecrets: boolean;
}

/** An order to write a conversation or a branch. */
export interface ExportOrder {
  /** A conversation, or the node that a branch ends at. */
  place: string;
  format: ExportFormat;
  whole: boolean;
  directory: string | undefined;
  /** Writes dots in the place of secrets. */
  replacesSecrets: boolean;
}

/** The port that writes conversations in the forms of other programs. */
export interface ExportPort {
  create(engine: LoomEngine, order: ExportOrder, caller: Caller): Promise<Outcome<ExportAnswer>>;
  archive(engine: LoomEngine, order: ArchiveOrder, job: JobHandle): Promise<ArchiveReport>;
}

export function exportOperations(port: ExportPort) {
  return [
    defineOperation({
      name: 'export.create',
      summary:
        'Exports a branch or a whole conversation as Markdown, HTML, JSON lines that Loom can import, an array of messages, or a session that Claude Code or Codex can continue. The result is stored as a blob. Loom notes the id of an exported session, so that importing it later extends the same branch.',
      params: () =>
        z.strictObject({
          place: placeId.describe(
            'The last node of the branch, or a conversation: all of it, or for a session its most recent branch.',
          ),
          format: z.enum(exportFormats),
          whole: z
            .boolean()
            .default(false)
            .describe('Export all branches of the conversation, even if a node is named.'),
          directory: z
            .string()
            .min(1)
            .exactOptional()
            .describe('The working folder of the session. Default: that of the conversation.'),
          replace_secrets: z
            .boolean()
            .default(false)
            .describe(
              'Write •••• in the place of keys, tokens and passwords. A session in which something was replaced is not known again when it is imported.',
            ),
        }),
      result: () => exported(),
      refusals: ['empty-message'],
      effect: 'changes',
      run: (engine, caller, { place, format, whole, directory, replace_secrets: replacesSecrets }) =>
        port.create(engine, { place, format, whole, directory, replacesSecrets }, caller),
    }),
    defineOperation({
      name: 'export.archive',
      summary:
        'Starts a job that writes many conversations, with all their branches, into one zip archive: one file each, in a folder for each project. The archive is stored as a blob. Returns the job at once; job.get returns its report, which names the secrets that were found.',
      params: () =>
        z.strictObject({
          roots: z.array(knownRootId).min(1).max(10_000).describe('The conversations. Deleted ones are left out.'),
          format: z.enum(fileFormats),
          replace_secrets: z
            .boolean()
            .default(false)
            .describe('Write •••• in the place of keys, tokens and passwords.'),
        }),
      result: () =>
        z.strictObject({
          job: z
            .string()
            .describe(`The id of the job. Its result: {${Object.keys(archiveReport().shape).join(', ')}}.`),
        }),
      effect: 'runs',
      run: async (engine, caller, { roots, format, replace_secrets: replacesSecrets }) => {
        const denied = refuseLimited(caller, 'export.archive');
        if (denied !== undefined) return denied;
        const about = { kind: 'export.archive', agent: caller.agent, words: 'Writing conversations' };
        const order = { roots: [...new Set(roots)], format, replacesSecrets };
        return { ok: true, value: { job: engine.jobs.start(about, (job) => port.archive(engine, order, job)) } };
      },
    }),
  ] as const;
}
