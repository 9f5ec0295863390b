import { z } from 'zod';
import type { LoomEngine } from '../../engine.ts';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { placeId } from '../ids.ts';

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

const exported = z.strictObject({
  blob: z.string().describe('What was written, to be read as a blob.'),
  bytes: z.int(),
  name: z.string().describe('A name for the file.'),
  media_type: z.string(),
  notes: z.array(z.string()).describe('What could not be said as Loom has it, and what that means.'),
  session: z
    .strictObject({
      id: z.string().describe('What the other program calls the session.'),
      path: z.string().describe('Where the program looks for the file, below its own folder.'),
      command: z.array(z.string()).describe('How the program is told to go on with it.'),
    })
    .exactOptional()
    .describe('For claude-code and codex: how the conversation goes on there.'),
});
export type ExportAnswer = z.infer<typeof exported>;

/** What is to be written. */
export interface ExportOrder {
  /** A conversation, or the node that a branch ends at. */
  place: string;
  format: ExportFormat;
  whole: boolean;
  directory: string | undefined;
}

/** What writes conversations in the forms of other programs. */
export interface ExportPort {
  create(engine: LoomEngine, order: ExportOrder, caller: Caller): Promise<Outcome<ExportAnswer>>;
}

export function exportOperations(port: ExportPort) {
  return [
    defineOperation({
      name: 'export.create',
      summary:
        'Writes a branch, or a whole conversation, as Markdown, HTML, JSON lines that Loom reads again, an array of messages, or a session that Claude Code or Codex goes on with. The text is kept as a blob. What a session is called there is noted, so that importing it later extends the same branch.',
      params: z.strictObject({
        place: placeId.describe(
          'The node that the branch ends at, or a conversation: all of it, or its most recent branch for a session.',
        ),
        format: z.enum(exportFormats),
        whole: z.boolean().default(false).describe('All branches of the conversation, though a node is named.'),
        directory: z
          .string()
          .min(1)
          .exactOptional()
          .describe('The folder that a session works in. Default: that of the conversation.'),
      }),
      result: exported,
      refusals: ['empty-message'],
      effect: 'changes',
      run: (engine, caller, { place, format, whole, directory }) =>
        port.create(engine, { place, format, whole, directory }, caller),
    }),
  ] as const;
}
