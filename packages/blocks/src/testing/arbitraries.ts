import * as fc from 'fast-check';
import type { AssistantBlock, ToolBlock, UserBlock } from '../content-block.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../message.ts';
import type { NonEmptyArray } from '../values/non-empty-array.ts';

/** Text as people and models write it: emoji, combining marks, line ends, blanks; always well-formed, never NUL. */
export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r\n', '\t', '`', '👩‍👩‍👧', 'é', '"', '\\', '<', '│') }),
);

/**
 * Text of any characters, NUL and those of no language included. Made here because `fc.string({ unit: 'binary' })` and `fc.webUrl()` make a table of all of
 * them when they are first called, which takes two seconds in each file of tests.
 */
export const anyCharacters = fc.string({
  unit: fc
    .oneof(fc.nat({ max: 0xff }), fc.nat({ max: 0xffff }), fc.nat({ max: 0x10ffff }))
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code)),
});

const addressPart = fc.string({
  unit: fc.constantFrom('a', 'z', '0', '9', '-', '.', '_', '~', '%20', '%C3%A9'),
  maxLength: 12,
});
const anyAddress = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/u),
    fc.array(addressPart, { maxLength: 3 }),
  )
  .map(([scheme, host, path]) => `${scheme}://${host}.example/${path.join('/')}`);

const anyName = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name.trim() !== '');

/** JSON after one round of writing and reading, because JSON.stringify has no word for negative zero. */
export const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

/** A plain object, the shape of a tool's parameters. */
export const anyParameters = fc.dictionary(fc.string({ maxLength: 8 }), anyJson, { maxKeys: 4 });

const textBlock = anyText.map((text) => ({ type: 'text' as const, text }));
const imageBlock = fc.record(
  {
    type: fc.constant('image' as const),
    media_type: fc.constantFrom('image/png', 'application/pdf', 'audio/wav'),
    url: anyAddress,
    filename: anyName,
  },
  { requiredKeys: ['type', 'media_type', 'url'] },
);
const rawBlock = fc.record({ type: fc.constant('raw' as const), source: anyName, value: anyJson });
const codeBlock = fc.record(
  { type: fc.constant('code' as const), content: anyText, language: anyName, filename: anyName, start_line: fc.nat() },
  { requiredKeys: ['type', 'content'] },
);
const commandBlock = fc.record(
  { type: fc.constant('command' as const), command: anyText, stdout: anyText, stderr: anyText, exit_code: fc.nat(255) },
  { requiredKeys: ['type', 'command'] },
);
const fileChangeBlock = fc.record({
  type: fc.constant('file-change' as const),
  changes: fc.array(
    fc.record(
      { path: anyName, kind: fc.constantFrom('add' as const, 'modify' as const, 'delete' as const), diff: anyText },
      { requiredKeys: ['path', 'kind'] },
    ),
    { maxLength: 3 },
  ),
});
const todoBlock = fc.record({
  type: fc.constant('todo' as const),
  items: fc.array(
    fc.record({
      content: anyText,
      status: fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const),
    }),
    { maxLength: 3 },
  ),
});
const sourcesBlock = fc.record({
  type: fc.constant('sources' as const),
  sources: fc.array(fc.record({ id: anyName, url: anyAddress, title: anyText }), { maxLength: 3 }),
});
const errorBlock = fc.record({ type: fc.constant('error' as const), code: anyName, message: anyText });
const conversationBlock = fc.record({ type: fc.constant('conversation' as const), root: anyName });
const thinkingBlock = fc.record(
  {
    type: fc.constant('thinking' as const),
    text: anyText,
    provider: fc.record({ anthropic: fc.record({ signature: anyName }) }),
  },
  { requiredKeys: ['type', 'text'] },
);

/** A call whose arguments are the plain spelling of its parameters, another spelling, or malformed. */
export const anyToolUse = fc
  .record({ id: anyName, name: anyName, parameters: anyParameters, spelling: fc.nat(2) })
  .map(({ id, name, parameters, spelling }) => {
    const call = { type: 'tool-use' as const, id, name };
    if (spelling === 0) return { ...call, parameters };
    if (spelling === 1) return { ...call, parameters, arguments: `${JSON.stringify(parameters)} ` };
    return { ...call, parameters: {}, arguments: '{"cut off' };
  });

export const anyUserBlock: fc.Arbitrary<UserBlock> = fc.oneof(textBlock, imageBlock, rawBlock);
export const anyToolBlock: fc.Arbitrary<ToolBlock> = fc.oneof(
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
);
export const anyAssistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  textBlock,
  thinkingBlock,
  anyToolUse,
  imageBlock,
  codeBlock,
  commandBlock,
  fileChangeBlock,
  todoBlock,
  sourcesBlock,
  errorBlock,
  rawBlock,
);

/** One to three elements, as the compiler sees it too. */
function few<T>(element: fc.Arbitrary<T>): fc.Arbitrary<NonEmptyArray<T>> {
  return fc.tuple(element, fc.array(element, { maxLength: 2 })).map(([first, rest]) => [first, ...rest]);
}

export const anyUserMessage: fc.Arbitrary<UserMessage> = few(anyUserBlock).map((content) => ({
  role: 'user',
  content,
}));
export const anyAssistantMessage: fc.Arbitrary<AssistantMessage> = few(anyAssistantBlock).map((content) => ({
  role: 'assistant',
  content,
}));
export const anyToolMessage: fc.Arbitrary<ToolMessage> = fc
  .record({ content: fc.array(anyToolBlock, { maxLength: 3 }), tool_call_id: anyName, failed: fc.boolean() })
  .map(({ content, tool_call_id, failed }) => ({
    role: 'tool',
    content,
    tool_call_id,
    ...(failed ? { is_error: true } : {}),
  }));
// structuredClone: fast-check makes some objects without a prototype, which no JSON parser does.
export const anyMessage: fc.Arbitrary<Message> = fc
  .oneof(anyUserMessage, anyAssistantMessage, anyToolMessage)
  .map((message) => structuredClone(message));

/** A text-only message of either side. */
export const anyTextMessage: fc.Arbitrary<Message> = fc
  .tuple(fc.constantFrom('user' as const, 'assistant' as const), few(textBlock))
  .map(([role, content]) => ({ role, content }));
