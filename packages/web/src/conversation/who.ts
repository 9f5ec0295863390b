import type { NodeState } from '@loom/kernel';

type Spoken = Pick<NodeState, 'role' | 'source' | 'origin' | 'custom_data'>;

/** Who wrote a message. */
export function nameOf(node: Spoken): string {
  const { role, source, origin } = node;
  if (isOfProgram(node)) return origin === undefined ? 'Program' : sourceName(origin.source);
  if (source.type === 'model' && source.model_name !== '') return source.model_name;
  if (source.type === 'tool_result') return source.tool_name;
  return roleName(role);
}

/** Who wrote a message of which only the role is known. */
export function roleName(role: NodeState['role']): string {
  return role === 'user' ? 'You' : role === 'tool' ? 'Tool' : 'Model';
}

/** The shape that stands for who wrote it: a person, a model, a tool, another program. */
export function markOf(node: Pick<NodeState, 'role' | 'custom_data'>): string {
  const { role } = node;
  if (isOfProgram(node)) return 'mark-file';
  return role === 'user' ? 'mark-person' : role === 'tool' ? 'mark-tool' : 'mark-model';
}

export function isOfPerson(node: Pick<NodeState, 'role' | 'custom_data'>): boolean {
  return node.role === 'user' && !isOfProgram(node);
}

/** Whether a program wrote it for the model to read, in the name of its user: its environment, its instructions. */
function isOfProgram({ role, custom_data: data }: Pick<NodeState, 'role' | 'custom_data'>): boolean {
  return role === 'user' && data?.['synthetic'] === true;
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
  'claude-ai': 'Claude.ai',
  'gemini-cli': 'Gemini CLI',
  librechat: 'LibreChat',
  loom: 'Loom',
  'open-webui': 'Open WebUI',
  'openai-messages': 'OpenAI messages',
  pi: 'pi',
};
