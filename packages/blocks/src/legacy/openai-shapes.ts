/**
 * The shapes of OpenAI-style arrays that have no typed block, each with its reason; `*` stands for any word. A value of such
 * a shape is kept as `raw` and noted. A shape that is not listed is one that Loom has not met yet; it is treated the same.
 */
export const refusedShapes: Readonly<Record<string, string>> = {
  'user.content=empty': 'the message says nothing; an empty message is kept but never sent',
  'assistant.content=empty': 'the message says nothing and calls nothing; an empty message is kept but never sent',
  'message=*': 'an element that is not an object is not a message',
  'role=system': 'the prompt belongs to the root, so a system message further down has no place in a conversation',
  'role=developer':
    'the prompt belongs to the root, so a developer message further down has no place in a conversation',
  'role=*': 'the role does not say whether a person, a model or a tool spoke',
  'part=file': 'the part names an uploaded file by an id that means nothing outside its account, or no file at all',
  'part=image': 'the part holds neither data nor an address',
  'part=thinking': 'the part says that it is thinking and has no text',
  'part=text': 'the part says that it is text and has none',
  'part=number': 'token numbers are no text without the tokenizer that made them',
  'part=array': 'token numbers are no text without the tokenizer that made them',
  'part=compaction': "a provider's summary of what it left out; only that provider can go on from it",
  'part=tool_reference': 'names a tool that the provider may load; there is no call to answer',
  'part=tool_result': 'a tool answers with content, not with the answers of other tools',
  'part=server_tool_use': 'a call that the provider runs inside its own answer; Loom cannot answer it',
  'part=*_tool_result': 'the answer to a call that the provider ran inside its own answer',
  'tool_call without a name': 'the call does not say which tool it calls',
  'user.tool_calls': 'a person calls no tools',
  'user.part=*': 'a person writes text, images and files; this kind of block is for models and tools',
  'assistant.part=*': 'this kind of block is for tools',
  'tool.part=*': 'a tool answers with content, not with calls and thoughts',
};

/** Returns the reason that something was kept raw, or `undefined` if its shape is not on the list. */
export function refusalReason(tag: string): string | undefined {
  if (Object.hasOwn(refusedShapes, tag)) return refusedShapes[tag];
  const family = Object.keys(refusedShapes).find((shape) => {
    const [start = '', end] = shape.split('*');
    return end !== undefined && tag.length > start.length + end.length && tag.startsWith(start) && tag.endsWith(end);
  });
  return family === undefined ? undefined : refusedShapes[family];
}
