import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { placeId } from '../../forest/ids.ts';
import { once } from '../../once.ts';

/** The forms in which a conversation can be given away. */
export const exportFormats = [
  'markdown',
  'html',
  'jsonl',
  'ai-sdk',
  'openai',
  'anthropic',
  'claude-code',
  'codex',
] as const;
export type ExportFormat = (typeof exportFormats)[number];

const exported = once(() =>
  z.strictObject({
    blob: z.string().describe('The id of the blob that holds the export.'),
    bytes: z.int(),
    name: z.string().describe('A suggested file name.'),
    media_type: z.string(),
    notes: z.array(z.string()).describe('What the format could not express, and what that means.'),
    secrets: z
      .array(
        z.strictObject({
          kind: z.string().describe('The kind of secret, such as GitHub token.'),
          masked: z.string().describe('Its first and last characters at most.'),
          count: z.int().describe('How often it occurs.'),
        }),
      )
      .describe('Secrets in what was written, or that were replaced; at most 1,000.'),
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
  ] as const;
}
