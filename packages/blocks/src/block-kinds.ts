/** The kinds that blocks are looked for by: the types of blocks, and `tool_result` for the blocks of tool messages. */
export const blockKinds = [
  'text',
  'thinking',
  'tool-use',
  'image',
  'code',
  'command',
  'file-change',
  'todo',
  'sources',
  'conversation',
  'error',
  'raw',
  'file',
  'tool_result',
] as const;

/**
 * Returns the kind of block that a word means, however it is spelled: `tool_call`, `tool-use` and `ToolUse` are the same.
 * `undefined` if it means none.
 */
export function blockKind(word: string): (typeof blockKinds)[number] | undefined {
  const wanted = bare(word);
  return blockKinds.find((kind) => bare(kind) === wanted) ?? otherWords.get(wanted);
}

function bare(word: string): string {
  return word.replaceAll(/[-_\s]/gu, '').toLowerCase();
}

/** Words of other programs, and of the page. */
const otherWords: ReadonlyMap<string, (typeof blockKinds)[number]> = new Map([
  ['toolcall', 'tool-use'],
  ['functioncall', 'tool-use'],
  ['tooloutput', 'tool_result'],
  ['reasoning', 'thinking'],
  ['plan', 'todo'],
]);
