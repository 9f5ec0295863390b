import { cleanText, isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolBlock } from '@loom/blocks';
import { viewsOfToolResult } from '@loom/blocks/views';
import type { ForeignNode } from '../foreign/foreign.ts';
import { rawBlock, readSentBlock, textBlock } from './content.ts';
import { isList, listIn, objectIn, textIn } from '../foreign/fields.ts';

/** Facts of a line about a call, beside the blocks the model saw. */
export interface ResultFacts {
  /** The tool's own report: an object, a list, or a text. */
  readonly native: unknown;
  /** The reason the call never ran, if it was denied. */
  readonly denial: string | undefined;
}

export interface ReadResult {
  /** The blocks the model saw; the first one carries the tool's report. */
  readonly blocks: readonly MessageBlock[];
  readonly views: readonly ToolBlock[];
  readonly isError: boolean;
  readonly state: NonNullable<ForeignNode['tool']>;
  readonly details: PlainObject | undefined;
  /** The kind of an unknown block in it. */
  readonly unknown: string | undefined;
}

interface Call {
  readonly name: string;
  readonly parameters: unknown;
}

export function readResult(part: PlainObject, call: Call, { native, denial }: ResultFacts): ReadResult {
  const { blocks, unknown } = readContent(part.content);
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const state = stateOf(part, native, text, denial);
  const views = state === 'denied' ? [] : viewsOfToolResult(call, resultFor(part, native, text));
  const hasFiles = blocks.some(({ type }) => type === 'image');
  const [first, ...others] = blocks;
  const reported = hasFiles ? withoutFiles(native, filesIn(part.content)) : native;
  const own = tellsMore(reported, text) ? { provider: { 'claude-code': { tool_use_result: reported } } } : {};
  return {
    blocks: [{ ...(first ?? textBlock('')), ...own }, ...others],
    // An image that the model saw is there already.
    views: hasFiles ? views.filter(({ type }) => type !== 'image') : views,
    isError: part.is_error === true || state === 'denied' || state === 'interrupted',
    state,
    details: detailsOf(native, text),
    unknown,
  };
}

/** Reads the result of a tool that Anthropic ran, in the form that the live provider keeps. */
export function readProviderResult(result: PlainObject): Pick<ReadResult, 'blocks' | 'views' | 'isError' | 'state'> {
  const found = isList(result.content) ? result.content : [result.content];
  const pages = found.flatMap((item) => (isPlainObject(item) ? [item] : []));
  const lines = pages.map((page) =>
    ['error_code', 'title', 'url', 'text', 'stdout', 'stderr'].flatMap((name) => textIn(page[name]) ?? []).join('\n'),
  );
  const text = lines.filter((line) => line !== '').join('\n\n');
  const sources = pages.flatMap(({ url, title }, index) =>
    typeof url === 'string'
      ? [{ id: String(index + 1), url: cleanText(url), title: cleanText(textIn(title) ?? url) }]
      : [],
  );
  const isError = pages.some(({ type }) => typeof type === 'string' && type.endsWith('_error'));
  return {
    blocks: [{ ...textBlock(text), provider: { anthropic: { result } } }],
    views: sources.length === 0 ? [] : [{ type: 'sources', sources }],
    isError,
    state: isError ? 'error' : 'result',
  };
}

/** A text, a list of blocks, or nothing at all. */
function readContent(content: unknown): { blocks: MessageBlock[]; unknown: string | undefined } {
  if (typeof content === 'string') return { blocks: [textBlock(content)], unknown: undefined };
  if (content === undefined || content === null) return { blocks: [], unknown: undefined };
  let unknown: string | undefined;
  const blocks = (isList(content) ? content : [content]).map((element) => {
    const block = readSentBlock(element);
    if (block !== undefined) return block;
    unknown = textIn(objectIn(element)?.type) ?? typeof element;
    return rawBlock(element);
  });
  return { blocks, unknown };
}

function resultFor(part: PlainObject, native: unknown, text: string) {
  return {
    text,
    ...(native === undefined ? {} : { native }),
    ...(typeof part.is_error === 'boolean' ? { is_error: part.is_error } : {}),
  };
}

function stateOf(part: PlainObject, native: unknown, text: string, denial: string | undefined): ReadResult['state'] {
  const isError = part.is_error === true;
  if (denial !== undefined) return 'denied';
  if (isError && denials.some((words) => words.test(text))) return 'denied';
  if (objectIn(native)?.interrupted === true || (isError && interruptions.test(text))) return 'interrupted';
  return isError ? 'error' : 'result';
}

// The texts with which versions before 2.1 tell the model that a person or a rule refused a call: they have no other mark.
const denials: readonly RegExp[] = [
  /^The user doesn't want to (?:proceed with this tool use|take this action right now)/,
  /^(?:Error: )?User rejected /,
  /^Permission to use .{1,2000} has been denied/s,
  /^Claude requested permissions to .{1,2000}, but you haven't granted it yet/s,
];

const interruptions = /^(?:Error: )?\[Request interrupted by user/;

/** Returns details of a call that neither failed nor returned the requested result. */
function detailsOf(native: unknown, text: string): PlainObject | undefined {
  const report = objectIn(native);
  const task = textIn(report?.backgroundTaskId) ?? (report?.isAsync === true ? textIn(report.agentId) : undefined);
  if (task !== undefined) return { backgrounded: true, task: cleanText(task) };
  // The call failed the check of its arguments, or was canceled before it began.
  return text.startsWith('<tool_use_error>') ? { not_run: true } : undefined;
}

/** Returns false if a report only repeats the blocks the model saw: it is not worth keeping twice. */
function tellsMore(native: unknown, text: string): boolean {
  if (native === undefined || native === null || native === '') return false;
  return typeof native !== 'string' || (native !== text && native !== `Error: ${text}`);
}

function filesIn(content: unknown): Set<string> {
  const files = new Set<string>();
  for (const element of listIn(content)) {
    const data = objectIn(objectIn(element)?.source)?.data;
    if (typeof data === 'string') files.add(data);
  }
  return files;
}

/** The report without the bytes of files that stand in the content already. */
function withoutFiles(value: unknown, files: ReadonlySet<string>, depth = 0): unknown {
  if (typeof value === 'string') return files.has(value) ? '(in the content)' : value;
  if (depth > 6) return value;
  if (isList(value)) return value.map((element) => withoutFiles(element, files, depth + 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutFiles(field, files, depth + 1)]),
  );
}
