import { isNonEmpty } from '@loom/blocks';
import type { AssistantBlock, Message, ToolMessage, ToolUseBlock, UserBlock } from '@loom/blocks';
import * as fc from 'fast-check';

/** Bytes of the files that conversations name, by their ids. */
export const conversationFiles: ReadonlyMap<string, Uint8Array> = new Map(
  ['a', 'b'].map((digit) => [`sha256:${digit.repeat(64)}`, Buffer.from(`bytes of ${digit}`)]),
);

/**
 * Conversations in the form that the kernel hands to a provider: each call has its result right after it, nothing else is certain. Texts may be
 * blank, ids foreign and duplicate, arguments not JSON; thoughts, files and calls may come from any provider.
 */
export function anyConversation(
  ownProvider: string,
  ownThought: fc.Arbitrary<AssistantBlock>,
): fc.Arbitrary<Message[]> {
  const answer = fc
    .array(fc.oneof(anyText, anyFile, anyCall, anyRunCall(ownProvider), anyThought, ownThought), {
      minLength: 1,
      maxLength: 5,
    })
    .chain((blocks) => answered(blocks.map((block) => block)));
  const turn = fc.oneof(
    { weight: 2, arbitrary: answer },
    anyQuestion.map((message) => [message]),
  );
  return fc.array(turn, { minLength: 1, maxLength: 6 }).map((turns) => turns.flat());
}

const word = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', ' ', '\n', 'ends with space ', '{"loom-exact-value":0}', '"', '\uD83E', 'loom-exact-messages'),
);
const anyText = word.map((text) => ({ type: 'text' as const, text }));

const anyFile = fc.constantFrom(
  { type: 'image' as const, media_type: 'image/png', blob: `sha256:${'a'.repeat(64)}` },
  { type: 'image' as const, media_type: 'image/tiff', blob: `sha256:${'a'.repeat(64)}`, filename: 'scan.tiff' },
  { type: 'image' as const, media_type: 'application/pdf', blob: `sha256:${'b'.repeat(64)}`, filename: 'paper.pdf' },
  { type: 'image' as const, media_type: 'text/plain', blob: `sha256:${'b'.repeat(64)}` },
  { type: 'image' as const, media_type: 'image/png', blob: `sha256:${'f'.repeat(64)}` },
  { type: 'image' as const, media_type: 'image/jpeg', url: 'https://pictures.example/a.jpg' },
  { type: 'image' as const, media_type: 'image/gif', url: 'data:image/gif;base64,R0lGODdh' },
);

const anyId = fc.constantFrom('call_1', 'toolu_01AbC', 'functions.weather:0', 'x'.repeat(80), 'é', 'call_1');
const anyArguments = fc.constantFrom<Pick<ToolUseBlock, 'parameters' | 'arguments'>>(
  { parameters: {} },
  { parameters: { city: 'Oslo' } },
  { parameters: { n: 1 }, arguments: '{"n": 1.0}' },
  { parameters: {}, arguments: '{"city": "Os' },
  { parameters: {}, arguments: '[1]' },
  { parameters: {}, arguments: '' },
  { parameters: { half: '\uD83E' } },
);

const anyCall = fc
  .record({ id: anyId, name: fc.constantFrom('weather', 'read_file', 'block.read'), given: anyArguments })
  .map(({ id, name, given }) => ({ type: 'tool-use' as const, id, name, ...given }));

/** A call that some provider has run itself, without any data that the provider would take back. */
function anyRunCall(ownProvider: string): fc.Arbitrary<ToolUseBlock> {
  return fc.record({ id: anyId, owner: fc.constantFrom(ownProvider, 'another') }).map(({ id, owner }) => ({
    type: 'tool-use' as const,
    id,
    name: 'web_search',
    parameters: { query: 'pixels' },
    executed: 'provider' as const,
    provider: { [owner]: {} },
  }));
}

/** A thought without a signature. */
const anyThought = word.map((text) => ({ type: 'thinking' as const, text }));

const anyQuestion: fc.Arbitrary<Message> = fc
  .array(fc.oneof<fc.Arbitrary<UserBlock>[]>(anyText, anyFile), { minLength: 1, maxLength: 3 })
  .map((content) => ({ role: 'user', content: isNonEmpty(content) ? content : [{ type: 'text', text: 'x' }] }));

/** An answer and the results of its calls. */
function answered(blocks: readonly AssistantBlock[]): fc.Arbitrary<Message[]> {
  const ids = new Set<string>();
  const content = blocks.filter((block) => {
    if (block.type !== 'tool-use') return true;
    const isNew = !ids.has(block.id);
    ids.add(block.id);
    return isNew;
  });
  const calls = content.filter((block) => block.type === 'tool-use');
  return fc.tuple(...calls.map(anyResult)).map((results): Message[] => {
    return isNonEmpty(content) ? [{ role: 'assistant', content }, ...results] : [];
  });
}

function anyResult({ id }: ToolUseBlock): fc.Arbitrary<ToolMessage> {
  return fc
    .record({ blocks: fc.array(fc.oneof(anyText, anyFile), { maxLength: 2 }), isError: fc.boolean() })
    .map(({ blocks, isError }) => ({
      role: 'tool',
      tool_call_id: id,
      content: blocks,
      ...(isError ? { is_error: true } : {}),
    }));
}
