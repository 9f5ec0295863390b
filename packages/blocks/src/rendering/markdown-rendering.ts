import type {
  CommandBlock,
  ContentBlock,
  FileChangeBlock,
  ImageBlock,
  SourcesBlock,
  TodoBlock,
} from '../content-block.ts';
import type { Message } from '../message.ts';
import { isPurged } from '../text/masked-text.ts';
import { describeChange, renderOutput, shortenDataUrl } from './text-rendering.ts';

/** A message as Markdown for people: for copying, exporting, printing. A message without blocks is an empty string. */
export function renderMessageAsMarkdown(message: Message): string {
  return message.content.map(renderBlockAsMarkdown).filter(Boolean).join('\n\n');
}

/** A block as Markdown for people. Nothing of the content is left out but the payload of data URLs. */
export function renderBlockAsMarkdown(block: ContentBlock): string {
  if (isPurged(block)) return '*Removed for good*';
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return quote(`*Thinking*\n\n${block.text}`);
    case 'tool-use':
      return `**Tool call** ${inlineCode(block.name)}\n\n${fence(prettyArguments(block), 'json')}`;
    case 'image':
      return renderImage(block);
    case 'code':
      return withCaption(block.filename, fence(block.content, block.language));
    case 'file':
      return withCaption(block.path, fence(block.text, block.language));
    case 'command':
      return renderCommand(block);
    case 'file-change':
      return renderFileChanges(block);
    case 'todo':
      return renderTodo(block);
    case 'sources':
      return renderSources(block);
    case 'conversation':
      return `**Conversation** ${inlineCode(block.root)}`;
    case 'error':
      return quote(renderError(block.code, block.message, block.detail));
    case 'raw':
      return `**${escapeText(block.source)}**\n\n${fence(prettyJson(block.value), 'json')}`;
  }
}

function prettyArguments(block: { parameters: object; arguments?: string }): string {
  const malformed = block.arguments !== undefined && Object.keys(block.parameters).length === 0;
  return malformed ? (block.arguments ?? '') : prettyJson(block.parameters);
}

function prettyJson(value: unknown): string {
  // Indentation grows with the square of the depth, and indenting is recursive where plain JSON.stringify is not.
  return isDeeperThan(50, value) ? JSON.stringify(value) : JSON.stringify(value, undefined, 2);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function renderImage(block: ImageBlock): string {
  const label = block.filename ?? block.media_type;
  if (block.url === undefined || block.url.startsWith('data:')) {
    return `[${escapeText(label)}: ${block.blob ?? shortenDataUrl(block.url ?? '')}]`;
  }
  const link = `[${escapeText(label)}](${linkTarget(block.url)})`;
  return block.media_type.startsWith('image/') ? `!${link}` : link;
}

function renderCommand(block: CommandBlock): string {
  const output = [renderOutput(block.stdout), renderOutput(block.stderr)].filter((part) => part !== '');
  const parts = [fence([`$ ${block.command}`, ...output].join('\n'), 'console')];
  if (block.exit_code !== undefined && block.exit_code !== 0) parts.push(`Exit code ${block.exit_code}`);
  return parts.join('\n\n');
}

function renderFileChanges(block: FileChangeBlock): string {
  return block.changes
    .map((change) =>
      change.diff === undefined
        ? `- ${inlineCode(describeChange(change))}`
        : `${inlineCode(describeChange(change))}\n\n${fence(change.diff, 'diff')}`,
    )
    .join('\n\n');
}

function renderTodo(block: TodoBlock): string {
  return block.items
    .map(({ content, status }) => {
      const lines = splitLines(content).map((part) => part.trim());
      const line = lines.filter((part) => part !== '').join(' ');
      return `- [${status === 'completed' ? 'x' : ' '}] ${line}${status === 'in_progress' ? ' *(in progress)*' : ''}`;
    })
    .join('\n');
}

function renderSources(block: SourcesBlock): string {
  return block.sources
    .map(({ url, title }, index) => {
      const label = escapeText(title || url);
      return `${index + 1}. ${url === '' ? label : `[${label}](${linkTarget(url)})`}`;
    })
    .join('\n');
}

function renderError(code: string, message: string, detail: unknown): string {
  const head = `**Error** ${inlineCode(code)} ${message}`;
  return detail === undefined ? head : `${head}\n\n${fence(prettyJson(detail), 'json')}`;
}

function withCaption(caption: string | undefined, body: string): string {
  return caption === undefined ? body : `${inlineCode(caption)}\n\n${body}`;
}

/** A fenced block whose fence is longer than any run of backticks inside, so that the content cannot end it. */
function fence(content: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  const body = content === '' || content.endsWith('\n') ? content : `${content}\n`;
  // A language is one word: a line break or backtick in it would break the fence.
  return `${ticks}${/^[\w+#.-]+$/.test(language) ? language : ''}\n${body}${ticks}`;
}

function inlineCode(content: string): string {
  const line = content.replaceAll(/\s+/g, ' ');
  const ticks = '`'.repeat(longestRun(line) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${line}${padding}${ticks}`;
}

function longestRun(content: string): number {
  let longest = 0;
  for (const [run] of content.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function escapeText(content: string): string {
  return content.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>!]/g, (character) => `\\${character}`);
}

/** A link target in angle brackets; the characters that could end it early are percent-encoded. */
function linkTarget(url: string): string {
  return `<${url.replaceAll(/[<>\s\\]/g, (character) => encodeURIComponent(character))}>`;
}

function quote(content: string): string {
  return splitLines(content)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/**
 * Splits content into lines. A lone carriage return ends a line in Markdown too: the text after it must not leave its quote
 * or list.
 */
function splitLines(content: string): string[] {
  return content.split(/\r\n|\r|\n/);
}
