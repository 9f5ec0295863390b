import type {
  LongOutput,
  CommandBlock,
  ContentBlock,
  FileChange,
  FileChangeBlock,
  Source,
  TodoBlock,
} from '../content-block.ts';

/**
 * Renders any block as the text that a model reads if the block has to travel as text. `blocksShownToModel` decides if a
 * block travels at all.
 */
export function renderBlockAsText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'file':
      return block.text;
    case 'tool-use':
      return `${block.name}(${block.arguments ?? JSON.stringify(block.parameters)})`;
    case 'image':
      return `[${block.media_type}: ${block.filename ?? block.blob ?? shortenDataUrl(block.url ?? '')}]`;
    case 'code':
      return block.content;
    case 'command':
      return renderCommand(block);
    case 'file-change':
      return renderFileChanges(block);
    case 'todo':
      return renderTodo(block);
    case 'sources':
      return block.sources.map(renderSource).join('\n');
    case 'conversation':
      return `[conversation ${block.root}]`;
    case 'error':
      return `Error (${block.code}): ${block.message}`;
    case 'raw':
      return JSON.stringify(block.value);
  }
}

/** Renders output as text: of a long one its beginning, its size, the place of the rest, and its end. */
export function renderOutput(output: string | LongOutput | undefined): string {
  if (output === undefined) return '';
  if (typeof output === 'string') return output;
  const { preview, bytes, blob, tail, printed } = output;
  const size =
    printed === undefined ? `${bytes} bytes in all` : `${printed} bytes in all, of which the first ${bytes} were kept`;
  const place = blob === undefined ? '' : `: ${blob}`;
  if (tail === undefined) return `${preview}\n[… ${size}${place}]`;
  const how = blob === undefined ? '' : '; blob_read reads the rest by start and end, in bytes';
  return `${preview}\n[… ${size}${place}${how}. It ends with:]\n${tail}`;
}

/** Describes a data URL without its payload: its type and its size. */
export function shortenDataUrl(url: string): string {
  if (!url.startsWith('data:')) return url;
  const comma = url.indexOf(',');
  return comma === -1 ? 'data:' : `${url.slice(0, comma)},… (${url.length - comma - 1} characters)`;
}

/** One line for a changed file, such as `rename a.ts → b.ts`. */
export function describeChange(change: FileChange): string {
  return change.from === undefined ? `${change.kind} ${change.path}` : `${change.kind} ${change.from} → ${change.path}`;
}

function renderSource({ title, url }: Source): string {
  return title === '' || url === '' ? title || url : `${title} <${url}>`;
}

function renderCommand(block: CommandBlock): string {
  const parts = [`$ ${block.command}`, renderOutput(block.stdout), renderOutput(block.stderr)];
  if (block.exit_code !== undefined && block.exit_code !== 0) parts.push(`exit code ${block.exit_code}`);
  return joinLines(parts);
}

function renderFileChanges(block: FileChangeBlock): string {
  return joinLines(block.changes.flatMap((change) => [describeChange(change), change.diff ?? '']));
}

function renderTodo(block: TodoBlock): string {
  const marks = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };
  return block.items.map((item) => `${marks[item.status]} ${item.content}`).join('\n');
}

/** Joins parts by line breaks without doubling an existing one. */
function joinLines(parts: readonly string[]): string {
  let text = '';
  // Asked of each part, not of the growing text: that would copy it every time.
  let needsBreak = false;
  for (const part of parts) {
    if (part === '') continue;
    text += needsBreak ? `\n${part}` : part;
    needsBreak = !part.endsWith('\n');
  }
  return text;
}
