import { isPlainObject, pathWords, renderBlockAsText } from '@loom/blocks';
import type {
  CommandBlock,
  FileChangeBlock,
  LongOutput,
  MessageBlock,
  PathBase,
  TodoItem,
  ToolUseBlock,
} from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { describeBytes } from '../../terminal/progress.ts';
import type { Tone } from '../../terminal/style.ts';
import type { Line } from './column.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** A call in one line: its name and the beginnings of its arguments, paths as people read them; of a command, the command below its name. */
export function renderCall(call: ToolUseBlock, base: PathBase = {}): Line[] {
  const command = commandOf(call);
  if (command !== undefined) {
    const lines = command.trimEnd().split('\n');
    return [{ text: `● ${call.name}`, tone: 'strong' }, ...cut(lines.map((line) => ({ text: `  $ ${line}` })))];
  }
  const values = Object.entries(call.parameters).map(([name, value]) => {
    const isPath = typeof value === 'string' && /(?:^|_)(?:path|directory|cwd)$/u.test(name);
    return `${name}: ${shorten(isPath ? pathWords(value, base) : asText(value), 60)}`;
  });
  return [{ text: shorten(`● ${call.name} ${values.join(', ')}`, 120), tone: 'strong' }];
}

/** Returns the command of a call that is nothing but a command. */
function commandOf({ parameters }: ToolUseBlock): string | undefined {
  const { command, description: _description, ...others } = parameters;
  return typeof command === 'string' && Object.keys(others).length === 0 ? command : undefined;
}

/** A call with everything that a person has to know before deciding about it: nothing is left out. */
export function renderCallInFull(call: ToolUseBlock): Line[] {
  const parameters = Object.entries(call.parameters).flatMap(([name, value]) => {
    const [first = '', ...rest] = asText(value).replace(/\n$/, '').split('\n');
    if (rest.length === 0) return [{ text: `  ${name}: ${first}` }];
    return [{ text: `  ${name}:` }, ...[first, ...rest].map((line) => ({ text: `    ${line}` }))];
  });
  return [{ text: `● ${call.name}`, tone: 'strong' }, ...parameters];
}

/** The parts of a result that stand on the screen already. */
export interface ShownBefore {
  /** Commands whose output was shown as it came. */
  outputs?: ReadonlySet<string>;
  /** The call and the preview that a person was shown, which the result would repeat. */
  lines?: ReadonlySet<string>;
}

/** Draws the result of a call. The text for the model is shown only if there is no view for people beside it. */
export function renderResult(node: NodeState, name: string, { outputs, lines }: ShownBefore = {}): Line[] {
  const views = node.blocks.filter((block) => block.type !== 'text');
  const content = (views.length > 0 ? views : node.blocks).flatMap((block) => {
    if (block.type === 'command' && outputs?.has(block.block_id ?? '') === true) return renderExit(block);
    const drawn = renderBlock(block);
    if (block.type === 'command') return lines?.has(drawn[0]?.text ?? '') === true ? drawn.slice(1) : drawn;
    // A change that turned out as its preview said is not told twice.
    const isRepeated = block.type === 'file-change' && drawn.every(({ text }) => lines?.has(text) === true);
    return isRepeated ? [] : drawn;
  });
  const { mark, word, tone } = outcomes[node.tool ?? 'result'];
  const head: Line = { text: `  ${mark} ${name}${word}`, ...(tone === undefined ? {} : { tone }) };
  return [head, ...cut(content).map((line) => ({ ...line, text: `    ${line.text}` }))];
}

const outcomes: Record<NonNullable<NodeState['tool']>, { mark: string; word: string; tone?: Tone }> = {
  waiting: { mark: '…', word: ' is waiting' },
  running: { mark: '…', word: ' is running' },
  result: { mark: '✔', word: '', tone: 'good' },
  error: { mark: '✘', word: ' failed', tone: 'bad' },
  denied: { mark: '✘', word: ' was denied', tone: 'odd' },
  interrupted: { mark: '✘', word: ' was interrupted', tone: 'odd' },
};

/** A block as lines for a terminal. */
export function renderBlock(block: MessageBlock): Line[] {
  switch (block.type) {
    case 'command':
      return renderCommand(block);
    case 'file-change':
      return renderFileChange(block);
    case 'todo':
      return block.items.map(renderTodo);
    case 'sources':
      return block.sources.map(({ title, url }, index) => ({ text: `[${index + 1}] ${title} <${url}>` }));
    case 'error':
      return [{ text: `${block.code}: ${block.message}`, tone: 'bad' }];
    case 'code':
      return [
        ...(block.filename === undefined ? [] : [{ text: block.filename, tone: 'strong' as const }]),
        ...linesOf(block.content),
      ];
    case 'thinking':
      return linesOf(block.text, 'faint');
    case 'text':
    case 'tool-use':
    case 'image':
    case 'conversation':
    case 'raw':
      return linesOf(renderBlockAsText(block));
  }
}

function renderExit({ exit_code: code }: CommandBlock): Line[] {
  return code === undefined || code === 0 ? [] : [{ text: `exit code ${code}`, tone: 'bad' }];
}

function renderCommand(block: CommandBlock): Line[] {
  const { command, stdout, stderr } = block;
  return [
    { text: `$ ${command}`, tone: 'strong' },
    ...renderOutput(stdout),
    ...renderOutput(stderr, 'odd'),
    ...renderExit(block),
  ];
}

/** The number of first and last lines of a long output in a card. */
const [headLines, tailLines] = [6, 3];

/** Draws output as lines; of a long one its beginning, its size and how to read it, and its end. */
function renderOutput(output: CommandBlock['stdout'], tone?: Tone): Line[] {
  if (typeof output !== 'object') return linesOf(output ?? '', tone);
  return [...linesOf(output.preview, tone).slice(0, headLines), ...renderEnd(output, tone)];
}

/** Draws the size of a long output, and its end. */
export function renderEnd({ bytes, printed, blob, tail = '' }: LongOutput, tone?: Tone): Line[] {
  const kept = printed === undefined ? '' : `, the first ${describeBytes(bytes)} of them kept`;
  const how = blob === undefined ? '' : `: ${suggest(`read ${blob}`)}`;
  const gap: Line = { text: `… ${describeBytes(printed ?? bytes)} in all${kept}${how}`, tone: 'faint' };
  return [gap, ...linesOf(tail, tone).slice(-tailLines)];
}

function renderFileChange({ changes }: FileChangeBlock): Line[] {
  return changes.flatMap(({ kind, path, from, diff = '' }) => [
    { text: from === undefined ? `${kind} ${path}` : `${kind} ${from} → ${path}`, tone: 'strong' },
    ...linesOf(diff)
      .filter(({ text }) => !/^(?:---|\+\+\+) /.test(text))
      .map(({ text }) => ({ text, ...toneOfDiffLine(text) })),
  ]);
}

function toneOfDiffLine(text: string): { tone?: Tone } {
  if (text.startsWith('+')) return { tone: 'good' };
  if (text.startsWith('-')) return { tone: 'bad' };
  return text.startsWith('@@') ? { tone: 'faint' } : {};
}

function renderTodo({ content, status }: TodoItem): Line {
  const text = content.replaceAll(/\s*\n\s*/g, ' ');
  if (status === 'completed') return { text: `☑ ${text}`, tone: 'faint' };
  return status === 'in_progress' ? { text: `▸ ${text}`, tone: 'strong' } : { text: `☐ ${text}` };
}

function linesOf(text: string, tone?: Tone): Line[] {
  if (text === '') return [];
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => (tone === undefined ? { text: line } : { text: line, tone }));
}

// Long output scrolls the conversation away; the whole of it is kept and shown by `loom show`.
export const longestCard = 24;

function cut(lines: readonly Line[]): Line[] {
  if (lines.length <= longestCard) return [...lines];
  const left = lines.length - longestCard + 1;
  return [...lines.slice(0, longestCard - 1), { text: `… ${left} more lines: ${suggest('show')}`, tone: 'faint' }];
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  const isStructure = Array.isArray(value) || isPlainObject(value);
  return isStructure ? JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ') : String(value);
}

/** Text in one line, with an ellipsis where it was cut. */
export function shorten(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  // Dividing takes long, and lists have many lines.
  if (singleLetters.test(line.slice(0, length + 1))) return `${line.slice(0, length - 1)}…`;
  segmenter ??= new Intl.Segmenter();
  // It does not take all of a book to show its beginning.
  const letters = [...Iterator.from(segmenter.segment(line.slice(0, length * 20))).take(length + 1)];
  if (letters.length <= length) return line;
  return `${letters
    .slice(0, length - 1)
    .map(({ segment }) => segment)
    .join('')}…`;
}

/** Latin letters, CJK characters and punctuation that never join with what stands before or behind them. */
const singleLetters = /^[ -~¡-¬®-˿‐-‧‰-⁞●✓✗✻、。ぁ-ゖァ-ヺ一-鿿]*$/u;

/** Made once, at the first use: making it takes longer than its work. */
let segmenter: Intl.Segmenter | undefined;
