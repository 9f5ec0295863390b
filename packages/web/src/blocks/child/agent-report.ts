import type { NodeState } from '@loom/kernel';

/** Returns the report in a result, without what the program adds for itself below it. */
export function reportOf(result: NodeState | undefined): string | undefined {
  const text = (result?.blocks ?? [])
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .replace(/\n*<usage>[^<]*<\/usage>\s*$/u, '')
    .replace(/\n*agentId: \S+(?: \([^\n]*\))?\s*$/u, '')
    .trim();
  return text === '' ? undefined : text;
}

/** Returns the conversation of a sub-agent that a result leads to. */
export function childOf(result: NodeState | undefined): string | undefined {
  const block = result?.blocks.find(({ type }) => type === 'conversation');
  return block?.type === 'conversation' ? block.root : undefined;
}
