import { programNotice } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

/** The facts that tell a person's message from a program's. */
type Worded = Pick<NodeState, 'role' | 'custom_data'> & Partial<Pick<NodeState, 'origin' | 'blocks' | 'notice'>>;
type Spoken = Worded & Pick<NodeState, 'source' | 'origin'>;

/** Returns the name of a message's author. */
export function nameOf(node: Spoken): string {
  const { role, source, origin } = node;
  if (isOfProgram(node)) return origin === undefined ? 'Program' : sourceName(origin.source);
  // It makes the calls that a person asks for, such as a command that is run again.
  if (source.type === 'model' && source.provider === 'loom') return 'Loom';
  if (source.type === 'model' && source.model_name !== '') return source.model_name;
  if (source.type === 'tool_result') return source.tool_name;
  return roleName(role);
}

/** Returns the author of a message of which only the role is known. */
export function roleName(role: NodeState['role']): string {
  return role === 'user' ? 'You' : role === 'tool' ? 'Tool' : 'Model';
}

/** The shape that stands for who wrote it: a person, a model, a tool, another program. */
export function markOf(node: Worded): string {
  const { role } = node;
  if (isOfProgram(node)) return 'mark-file';
  return role === 'user' ? 'mark-person' : role === 'tool' ? 'mark-tool' : 'mark-model';
}

export function isOfPerson(node: Worded): boolean {
  return node.role === 'user' && !isOfProgram(node);
}

/** Returns true for messages that a program wrote in the name of its user, for the model to read: its environment, its instructions, its notices. */
export function isOfProgram(node: Worded): boolean {
  if (node.role !== 'user') return false;
  // The mark tells; messages without one are recognized by their words.
  return node.notice !== undefined || node.custom_data?.['synthetic'] === true || noticesIn(node) !== undefined;
}

/** One line for a message of a program: the words of its notices, else how its text begins. */
export function noticeWords(node: Worded): string {
  const notices = noticesIn(node) ?? [];
  if (notices.length > 0) return notices.join(' · ');
  const text = (node.blocks ?? []).find((block) => block.type === 'text')?.text ?? '';
  const line = text
    .slice(0, longestLook)
    .split('\n')
    .map((one) => one.replaceAll(/<[^>]*>/gu, '').trim())
    .find((one) => one !== '');
  return line ?? 'Context for the model';
}

/** The notices of a message that another program brought; `undefined` if a person has said something beside them. */
function noticesIn({ origin, blocks = [] }: Worded): string[] | undefined {
  if (origin === undefined || blocks.length === 0) return undefined;
  const notices: string[] = [];
  for (const block of blocks) {
    const notice = block.type === 'text' ? programNotice(block.text) : undefined;
    if (notice === undefined) return undefined;
    notices.push(notice);
  }
  return notices;
}

/** The length of text searched for a meaningful line, in characters. */
const longestLook = 2000;

/** Returns the common name of the source an importer or an agent has a message from. */
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
  antigravity: 'Antigravity CLI',
  copilot: 'Copilot CLI',
  cursor: 'Cursor',
  droid: 'Droid',
  'gemini-cli': 'Gemini CLI',
  kimi: 'Kimi CLI',
  lobe: 'LobeChat',
  librechat: 'LibreChat',
  loom: 'Loom',
  'open-webui': 'Open WebUI',
  'openai-messages': 'OpenAI messages',
  opencode: 'opencode',
  openhands: 'OpenHands',
  pi: 'pi',
  'qwen-code': 'Qwen Code',
  sharegpt: 'ShareGPT',
};
