import type { NodeState } from '@loom/kernel';

type Spoken = Pick<NodeState, 'role' | 'source'>;

/** Who wrote a message. */
export function nameOf({ role, source }: Spoken): string {
  if (source.type === 'model' && source.model_name !== '') return source.model_name;
  if (source.type === 'tool_result') return source.tool_name;
  return roleName(role);
}

/** Who wrote a message of which only the role is known. */
export function roleName(role: NodeState['role']): string {
  return role === 'user' ? 'You' : role === 'tool' ? 'Tool' : 'Model';
}

/** The shape that stands for who wrote it: a person, a model, a tool. */
export function markOf({ role }: Pick<NodeState, 'role'>): string {
  return role === 'user' ? 'mark-person' : role === 'tool' ? 'mark-tool' : 'mark-model';
}

/** Where an importer or an agent has a message from, as people call it. */
export function sourceName(source: string): string {
  return sources[source] ?? source.replace(/^@/u, '');
}

const sources: Record<string, string> = {
  '@claude-cli': 'Claude Code',
  'claude-code': 'Claude Code',
  '@codex': 'Codex',
  codex: 'Codex',
  chatgpt: 'ChatGPT',
};
