import { isBlank, isPurged, purgedWords } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { isOfProgram, noticeWords } from './who.ts';

/** The longest name of a message, in characters; lists cut it further. */
const longest = 120;

/** Returns a message in one line: its title, else its opening words, else the call it makes. */
export function messageWords(node: NodeState): string {
  const { title, role, blocks, source } = node;
  if (title !== undefined && title !== '') return title;
  if (isOfProgram(node)) return plainLine(noticeWords(node));
  if (role === 'tool' && source.type === 'tool_result') return source.tool_name;
  const text = blocks.find((block) => block.type === 'text' && !isBlank(block.text));
  const shown = text ?? blocks.find(({ type }) => type !== 'thinking') ?? blocks[0];
  if (shown === undefined) return '';
  return isPurged(shown) ? purgedWords : blockWords(shown);
}

/** A block in one line. */
function blockWords(block: MessageBlock): string {
  const text = textOfBlock(block);
  return block.type === 'text' || block.type === 'thinking' ? oneLine(text) : plainLine(text);
}

function textOfBlock(block: MessageBlock): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text;
    case 'tool-use':
      return block.name;
    case 'command':
      return block.command;
    case 'code':
      return block.filename ?? block.content;
    case 'file-change':
      return block.changes.map(({ path }) => path).join(', ');
    case 'error':
      return block.message;
    case 'todo':
      return block.items.map(({ content }) => content).join(', ');
    default:
      return kindWords[block.type];
  }
}

/** The names of the kinds of blocks. */
export const kindWords: { readonly [Type in MessageBlock['type']]: string } = {
  text: 'Text',
  thinking: 'Thinking',
  'tool-use': 'Tool call',
  image: 'Image',
  code: 'Code',
  command: 'Command',
  'file-change': 'File change',
  todo: 'Plan',
  sources: 'Sources',
  conversation: 'Sub-agent',
  error: 'Error',
  raw: 'Kept as it came',
};

/** The beginning of a text without line breaks and the signs of Markdown that begin lines. */
export function oneLine(text: string): string {
  return plainLine(
    asTyped(text)
      .slice(0, longest * 3)
      .replace(/```\w*/gu, ' ')
      .replace(/^[\s>#*-]+/gmu, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)?/gu, '$1')
      .replace(/[*`~]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)/gu, ''),
  );
}

/**
 * Returns the opening of a text as its author knows it: a plan by its heading; Claude Code keeps a command that was typed as its name and
 * its arguments, and puts marks around its reminders.
 */
function asTyped(text: string): string {
  const start = text.slice(0, longest * 10).replaceAll(/<\/?system-reminder>/gu, '');
  const plan = /^\s*Implement the following plan:\s*#+\s*([^\n]+)/u.exec(start)?.[1];
  if (plan !== undefined) return plan;
  const name = /<command-name>([^<]*)/u.exec(start)?.[1];
  if (name === undefined || !/^\s*<command-/u.test(start)) return start;
  const given = /<command-args>([^]*)/u.exec(start)?.[1] ?? '';
  return `${name} ${given.replace(/<\/command-args>[^]*/u, '')}`;
}

/** The beginning of a text without line breaks: of commands and paths, in which every sign counts. */
export function plainLine(text: string): string {
  const line = text
    .slice(0, longest * 3)
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= longest ? line.toWellFormed() : `${line.slice(0, longest).trimEnd().toWellFormed()}…`;
}
