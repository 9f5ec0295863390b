import { z } from 'zod';
import { lineCount, readLines } from '@loom/blocks';
import type { ToolOutcome } from '@loom/kernel';
import { describeSize } from '../../folder/confined-folder.ts';
import type { FileState } from '../../folder/confined-folder.ts';
import { PathError } from '../../folder/path-error.ts';
import { ToolMistake } from '../file-call.ts';
import type { ReadingCode, ReadingScope } from '../file-call.ts';
import { largestFile, textOf } from '../file-scope.ts';
import { mediaTypeOf } from './media-type.ts';

const params = z.strictObject({
  path: z.string().min(1),
  start_line: z.int().nonnegative().exactOptional(),
  end_line: z.int().nonnegative().exactOptional(),
});
type Params = z.infer<typeof params>;

/** The code of the tool `read`. */
export const readFileCode: ReadingCode<Params> = {
  params,
  pathOf: ({ path }) => path,
  async run(asked, scope) {
    const file = await open(asked.path, scope);
    await scope.permit(file.path);
    const { memory, context } = scope;
    const text = textOf(file.bytes);
    const outcome = text === undefined ? await showBytes(file, scope) : showText(file, text, asked);
    memory.note(context.root, file.path, file.hash);
    return outcome;
  },
};

async function open(path: string, { folder }: ReadingScope): Promise<FileState> {
  try {
    return await folder.read(path, largestFile);
  } catch (error) {
    if (!(error instanceof PathError) || error.code !== 'too-large') throw error;
    throw new ToolMistake(
      `${error.message} Use search to find the lines you need, or a shell command such as head, tail or sed -n to print a part of it.`,
    );
  }
}

/** Returns the words that a read without a range shows of a file, if they are all of it. */
export function shownWhole(path: string, text: string): string | undefined {
  const count = lineCount(text);
  if (count === 0) return emptyWords(path);
  const { next, content } = cutLines(text, 0, count);
  return next === count && text.split('\n').every((line) => line.length < longestLine) ? content : undefined;
}

function emptyWords(path: string): string {
  return `${path} is empty.`;
}

function showText({ path }: FileState, text: string, { start_line: start = 0, end_line: end }: Params): ToolOutcome {
  const count = lineCount(text);
  if (count === 0) return say(emptyWords(path));
  if (start >= count) {
    throw new ToolMistake(`${path} has ${count} lines, numbered 0 to ${count - 1}; there is no line ${start}.`);
  }
  const wanted = Math.min(end ?? count, count);
  if (wanted <= start)
    throw new ToolMistake(`end_line is exclusive, so it must be above start_line, which is ${start}.`);
  const shown = cutLines(text, start, wanted);
  const { next, content } = shown;
  if (next === wanted && end === undefined && start === 0) return say(content);
  const rest =
    next < count
      ? `\n[Lines ${start} to ${next - 1} of ${count}. Read on with start_line ${next}.]`
      : `\n[Lines ${start} to ${next - 1}, the last of ${count}.]`;
  return say(`${content.endsWith('\n') ? content.slice(0, -1) : content}${rest}`);
}

/** Returns as many lines as fit into a result. A line that alone is too long is cut, and that is said. */
function cutLines(text: string, start: number, end: number): { content: string; next: number } {
  let content = '';
  let next = start;
  const range = readLines(text, { start, end }, false);
  if (!range.ok) throw new ToolMistake(`There is no line ${start}.`);
  let at = 0;
  for (; next < end; next += 1) {
    const stop = range.content.indexOf('\n', at);
    const behind = stop === -1 ? range.content.length : stop + 1;
    const line = shorten(range.content.slice(at, behind));
    if (content !== '' && (content.length + line.length > mostCharacters || next - start >= mostLines)) break;
    content += `${next}\t${line}`;
    at = behind;
  }
  return { content, next };
}

function shorten(line: string): string {
  if (line.length <= longestLine) return line;
  const ending = line.endsWith('\n') ? '\n' : '';
  return `${line.slice(0, longestLine)}… [${line.length - ending.length - longestLine} more characters in this line]${ending}`;
}

async function showBytes({ path, bytes }: FileState, { context }: ReadingScope): Promise<ToolOutcome> {
  const media = mediaTypeOf(bytes);
  if (media === undefined) {
    throw new ToolMistake(
      `${path} is binary (${describeSize(bytes.length)}), so it cannot be shown as text. Look at it with a shell command, such as file, strings or xxd.`,
    );
  }
  if (bytes.length > largestPicture) {
    throw new ToolMistake(
      `${path} has ${describeSize(bytes.length)}; pictures up to ${describeSize(largestPicture)} can be shown. Make a smaller copy of it first.`,
    );
  }
  const filename = path.split('/').at(-1) ?? path;
  const blob = await context.blobs.put(bytes);
  return {
    content: [
      { type: 'text', text: `${path}: ${media}, ${describeSize(bytes.length)}.` },
      { type: 'image', media_type: media, blob, filename },
    ],
  };
}

function say(text: string): ToolOutcome {
  return { content: [{ type: 'text', text }] };
}

const mostCharacters = 50_000;
const mostLines = 2_000;
const longestLine = 2_000;
/** The largest picture that all vendors take. */
const largestPicture = 5 * 1024 * 1024;
