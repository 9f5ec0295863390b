import { z } from 'zod';
import { isBlank } from './text/clean-text.ts';
import { isJson } from './values/json.ts';
import { cleanString, plainObject, recordFields } from './record-fields.ts';

const jsonValue = z.custom<unknown>(isJson, { error: 'must be a value that JSON can hold' });

const nonBlank = cleanString.refine((text) => !isBlank(text), { error: 'must not be blank' });

/** A content-addressed blob: `sha256:` and 64 lower-case hex digits. */
export const blobId = z.string().regex(/^sha256:[0-9a-f]{64}$/, { error: 'must be sha256:<64 hex digits>' });

/**
 * Output that was too long to stay inline: where it is, how long it is, how it begins and ends. Without `blob` it still grows, in a spool
 * that becomes the blob.
 */
export const longOutput = z.strictObject({
  blob: blobId.exactOptional(),
  bytes: z.int().nonnegative(),
  preview: cleanString,
  tail: cleanString.exactOptional(),
  /** The number of bytes printed, if only the first `bytes` were kept. */
  printed: z.int().nonnegative().exactOptional(),
});
export type LongOutput = z.infer<typeof longOutput>;

/** Output that has become a blob. */
export type BlobReference = LongOutput & { blob: string };

const output = z.union([cleanString, longOutput]);

/** Plain text or Markdown, of any role. */
export const textBlock = z.strictObject({ type: z.literal('text'), text: cleanString, ...recordFields });
export type TextBlock = z.infer<typeof textBlock>;

/** A model's reasoning. Goes back only to the provider and model that wrote it. */
export const thinkingBlock = z.strictObject({ type: z.literal('thinking'), text: cleanString, ...recordFields });
export type ThinkingBlock = z.infer<typeof thinkingBlock>;

/**
 * A model's call of a tool. `arguments` is the provider's exact string, kept whenever it differs from
 * `JSON.stringify(parameters)`; a malformed one has `parameters: {}` beside it.
 */
export const toolUseBlock = z.strictObject({
  type: z.literal('tool-use'),
  id: nonBlank,
  name: nonBlank,
  parameters: plainObject,
  arguments: cleanString.exactOptional(),
  /** The provider that wrote the call has run it too: Loom never does. */
  executed: z.literal('provider').exactOptional(),
  ...recordFields,
});
export type ToolUseBlock = z.infer<typeof toolUseBlock>;

/** An image, or any other file (a PDF, a sound) by its media type. Exactly one of `blob` and `url` is there. */
export const imageBlock = z
  .strictObject({
    type: z.literal('image'),
    media_type: cleanString.regex(/^[^\s/]+\/[^\s/]+$/, { error: 'must be a media type such as image/png' }),
    blob: blobId.exactOptional(),
    url: cleanString.min(1).exactOptional(),
    filename: cleanString.exactOptional(),
    ...recordFields,
  })
  .refine((image) => (image.blob === undefined) !== (image.url === undefined), {
    error: 'needs exactly one of blob and url',
  });
export type ImageBlock = z.infer<typeof imageBlock>;

/** Source text with its place: what a file read shows. `start_line` counts from 1, as people and compilers do. */
export const codeBlock = z.strictObject({
  type: z.literal('code'),
  content: cleanString,
  language: cleanString.exactOptional(),
  filename: cleanString.exactOptional(),
  start_line: z.int().exactOptional(),
  total_lines: z.int().exactOptional(),
  ...recordFields,
});
export type CodeBlock = z.infer<typeof codeBlock>;

/** A shell command and its output. */
export const commandBlock = z.strictObject({
  type: z.literal('command'),
  command: cleanString,
  stdout: output.exactOptional(),
  stderr: output.exactOptional(),
  exit_code: z.int().exactOptional(),
  duration_ms: z.number().nonnegative().exactOptional(),
  ...recordFields,
});
export type CommandBlock = z.infer<typeof commandBlock>;

const fileMode = z.int().nonnegative().max(0o7777);

/** One file that a tool changed; `from` is the old path of a rename, `diff` a unified diff. */
export const fileChange = z.strictObject({
  path: cleanString,
  kind: z.enum(['add', 'modify', 'delete', 'rename']),
  from: cleanString.exactOptional(),
  diff: cleanString.exactOptional(),
  /** The contents before and after; without one the file did not exist then, or its contents were not kept. */
  before: blobId.exactOptional(),
  after: blobId.exactOptional(),
  /** The permission bits before and after. */
  mode: z.strictObject({ before: fileMode.exactOptional(), after: fileMode.exactOptional() }).exactOptional(),
});
export type FileChange = z.infer<typeof fileChange>;

/** Files that a tool changed. */
export const fileChangeBlock = z.strictObject({
  type: z.literal('file-change'),
  changes: z.array(fileChange),
  ...recordFields,
});
export type FileChangeBlock = z.infer<typeof fileChangeBlock>;

/** One task of a list. */
export const todoItem = z.strictObject({
  content: cleanString,
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type TodoItem = z.infer<typeof todoItem>;

/** A list of tasks as it stands. */
export const todoBlock = z.strictObject({ type: z.literal('todo'), items: z.array(todoItem), ...recordFields });
export type TodoBlock = z.infer<typeof todoBlock>;

/** One page that an answer rests on. */
export const source = z.strictObject({ id: cleanString, url: cleanString, title: cleanString });
export type Source = z.infer<typeof source>;

/** The pages that an answer rests on. Shown to people, not to models. */
export const sourcesBlock = z.strictObject({ type: z.literal('sources'), sources: z.array(source), ...recordFields });
export type SourcesBlock = z.infer<typeof sourcesBlock>;

/** A sub-agent's own conversation. */
const conversationBlock = z.strictObject({
  type: z.literal('conversation'),
  root: cleanString.min(1),
  ...recordFields,
});
export type ConversationBlock = z.infer<typeof conversationBlock>;

/**
 * A failure, for people. Its `code` and `message` are content; the record field `error`, which any block may carry, says
 * that the block itself ended badly.
 */
const errorBlock = z.strictObject({
  type: z.literal('error'),
  code: cleanString,
  message: cleanString,
  detail: jsonValue.exactOptional(),
  ...recordFields,
});
export type ErrorBlock = z.infer<typeof errorBlock>;

/** An event or part that Loom does not know, kept whole. `value` may be any JSON, `null` included. */
export const rawBlock = z.strictObject({
  type: z.literal('raw'),
  source: cleanString,
  value: jsonValue,
  ...recordFields,
});
export type RawBlock = z.infer<typeof rawBlock>;

/** A file of a workspace. Lives in a workspace's log, never in a message. */
const fileBlock = z.strictObject({
  type: z.literal('file'),
  path: cleanString.min(1),
  language: cleanString.exactOptional(),
  text: cleanString,
  ...recordFields,
});
export type FileBlock = z.infer<typeof fileBlock>;

/** A block that a person may write in a message. */
export const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock, rawBlock]);
export type UserBlock = z.infer<typeof userBlock>;

/** A block that a model may write in a message. */
export const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  thinkingBlock,
  toolUseBlock,
  imageBlock,
  codeBlock,
  commandBlock,
  fileChangeBlock,
  todoBlock,
  sourcesBlock,
  errorBlock,
  rawBlock,
]);
export type AssistantBlock = z.infer<typeof assistantBlock>;

/** A block that a tool's result may hold. */
export const toolBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  codeBlock,
  commandBlock,
  fileChangeBlock,
  todoBlock,
  sourcesBlock,
  conversationBlock,
  errorBlock,
  rawBlock,
]);
export type ToolBlock = z.infer<typeof toolBlock>;

/** Any block of a message. */
export const messageBlock = z.discriminatedUnion('type', [
  textBlock,
  thinkingBlock,
  toolUseBlock,
  imageBlock,
  codeBlock,
  commandBlock,
  fileChangeBlock,
  todoBlock,
  sourcesBlock,
  conversationBlock,
  errorBlock,
  rawBlock,
]);
export type MessageBlock = z.infer<typeof messageBlock>;

/** Any block. */
export const contentBlock = z.discriminatedUnion('type', [...messageBlock.options, fileBlock]);
export type ContentBlock = z.infer<typeof contentBlock>;
