import { isPlainObject, providerData } from '@loom/blocks';
import type { Message, PlainObject } from '@loom/blocks';
import { z } from 'zod';
import { keepFields } from './json.ts';
import { isProviderReference } from './model-message.ts';
import type { ProviderReference } from './model-message.ts';

/** The key in a block's `provider` data under which this package keeps the SDK's fields that a block has no field for. */
export const SDK_KEY = 'ai-sdk';

const sdkMark = z.object({
  /** First block of a message: the fields of the UI message beside role and parts. Its presence starts a UI message. */
  uiMessage: providerData.exactOptional(),
  /** First block of a message: the number of step boundaries before it in its UI message. */
  steps: z.int().nonnegative().exactOptional(),
  /** First block of a user message that came as a steering part inside a UI message: the fields of that part. */
  steering: providerData.exactOptional(),
  /** First block of a message: the fields of the model message beside role and content. */
  modelMessage: providerData.exactOptional(),
  /** A `raw` block that holds a whole message rather than one part. */
  whole: z.literal(true).exactOptional(),
  /** Fields of the UI part or of the model part that the block has no place for. */
  uiPart: providerData.exactOptional(),
  modelPart: providerData.exactOptional(),

  /** Files: the original spelling of the media type, the form of the bytes, the ids that providers gave to it. */
  mediaType: z.string().exactOptional(),
  inline: z.enum(['base64', 'bytes', 'text']).exactOptional(),
  reference: z.custom<ProviderReference>(isProviderReference).exactOptional(),
  /** Sources: the fields of a document, which has no URL. */
  document: providerData.exactOptional(),

  /** Calls: the form of an input that was not an object: a string, another JSON value, or missing. */
  input: z.enum(['text', 'json', 'none']).exactOptional(),
  /** Calls: the input was only under its older name. */
  fromRawInput: z.literal(true).exactOptional(),
  providerExecuted: z.boolean().exactOptional(),
  approval: providerData.exactOptional(),
  /** Calls: the UI part was a `tool-<name>` part. */
  static: z.literal(true).exactOptional(),
  /** Calls: the denial was answered, but no output written yet. */
  deniedBy: z.literal('response').exactOptional(),
  /** Calls: the provider data is that of the result, which the SDK sends if the call has none. */
  providerFromResult: z.literal(true).exactOptional(),

  /** First block of a result: the kind of output if the block does not show it, its fields, those of the result part. */
  output: z.enum(['json', 'error-json', 'error-text', 'content']).exactOptional(),
  outputFields: providerData.exactOptional(),
  result: providerData.exactOptional(),
});

/** The SDK's details that a block has no field for. They decide how a block is written back, never what it says. */
export type SdkMark = z.infer<typeof sdkMark>;

/** Returns the mark of a block, or an empty one if it is missing or unreadable. */
export function readMark(block: { provider?: PlainObject } | undefined): SdkMark {
  const mark = block?.provider?.[SDK_KEY];
  const parsed = mark === undefined ? undefined : sdkMark.safeParse(mark);
  return parsed?.success === true ? parsed.data : {};
}

/** The block with these fields added to its mark; `undefined` adds nothing. */
export function addMark<B extends { provider?: PlainObject }>(block: B, fields: MarkFields): B {
  const added = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (added.length === 0) return block;
  const present = block.provider?.[SDK_KEY];
  const mark = { ...(isPlainObject(present) ? present : {}), ...keepFields(Object.fromEntries(added)) };
  return { ...block, provider: { ...block.provider, [SDK_KEY]: mark } };
}

/** Returns a copy of the block without its mark's fields about the UI message around it. */
export function withoutMessageMark<B extends { provider?: PlainObject }>(block: B): B {
  const copy = { ...block };
  const { [SDK_KEY]: present, ...others } = block.provider ?? {};
  if (!isPlainObject(present)) return copy;
  const { uiMessage: _uiMessage, steps: _steps, steering: _steering, whole: _whole, ...mark } = present;
  const provider = Object.keys(mark).length === 0 ? others : { ...others, [SDK_KEY]: mark };
  if (Object.keys(provider).length === 0) delete copy.provider;
  else copy.provider = provider;
  return copy;
}

/** The message with these fields added to the mark of its first block; a result without blocks gets an empty text for it. */
export function markFirstBlock(message: Message, fields: MarkFields): Message {
  switch (message.role) {
    case 'user': {
      const [first, ...others] = message.content;
      return { ...message, content: [addMark(first, fields), ...others] };
    }
    case 'assistant': {
      const [first, ...others] = message.content;
      return { ...message, content: [addMark(first, fields), ...others] };
    }
    case 'tool': {
      const [first = { type: 'text', text: '' }, ...others] = message.content;
      return { ...message, content: [addMark(first, fields), ...others] };
    }
  }
}

type MarkFields = { [Key in keyof SdkMark]?: SdkMark[Key] | undefined };

/** Returns the object, or `undefined` if it is empty. */
export function unlessEmpty(fields: PlainObject): PlainObject | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}
