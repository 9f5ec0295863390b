import { z } from 'zod';
import type { MessageBlock, UserBlock } from '@loom/blocks';

/** An attachment of a message: a file that the server keeps already, or words taken from elsewhere in Loom. */
export const attachment = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    id: z.string(),
    name: z.string(),
    type: z.string(),
    size: z.number().optional(),
    blob: z.string(),
  }),
  z.object({ kind: z.literal('quote'), id: z.string(), name: z.string(), text: z.string() }),
]);
export type Attachment = z.infer<typeof attachment>;

/** The unsent message of a person. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export const emptyDraft: Draft = { text: '', attachments: [] };

export function isEmpty({ text, attachments }: Draft): boolean {
  return text.trim() === '' && attachments.length === 0;
}

/** Turns a draft into the blocks of a message: the attachments first, then the words. */
export function blocksOf({ text, attachments }: Draft): UserBlock[] {
  const words = text.trim();
  return [...attachments.map(blockOf), ...(words === '' ? [] : [{ type: 'text' as const, text: words }])];
}

function blockOf(attached: Attachment): UserBlock {
  if (attached.kind === 'quote') return { type: 'text', text: `From "${attached.name}":\n\n${attached.text}` };
  return { type: 'image', media_type: attached.type, blob: attached.blob, filename: attached.name };
}

/** Puts one draft before another, which may be in the middle of being typed: its own spaces stay as they are. */
export function joinDrafts(one: Draft, other: Draft): Draft {
  const attachments = [...one.attachments, ...other.attachments];
  if (one.text.trim() === '') return { text: other.text, attachments };
  if (other.text.trim() === '') return { text: one.text.trim(), attachments };
  return { text: `${one.text.trim()}\n\n${other.text.trimStart()}`, attachments };
}

/** Messages that were given back, as a draft again. */
export function draftOf(messages: readonly (readonly MessageBlock[])[]): Draft {
  const blocks = messages.flat();
  return {
    text: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n'),
    attachments: blocks.flatMap((block): Attachment[] => {
      if (block.type !== 'image' || block.blob === undefined) return [];
      const { blob, media_type: type, filename = 'file' } = block;
      return [{ kind: 'file', id: blob, name: filename, type, blob }];
    }),
  };
}

/** The media type of a file; browsers do not know all of them. */
export function typeOfFile({ name, type }: { name: string; type: string }): string {
  if (type !== '') return type;
  return /\.(?:md|txt|csv|json|ya?ml|toml|[cm]?[jt]sx?|py|rs|go|c|h|cpp|java|rb|sh|css|html?|sql|log)$/iu.test(name)
    ? 'text/plain'
    : 'application/octet-stream';
}

/** Returns true if a file is text that any model can read; then it is sent as text. */
export function isWords(type: string): boolean {
  return /^text\/|^application\/(?:json|xml|javascript|x-sh|toml|yaml)$/u.test(type);
}
