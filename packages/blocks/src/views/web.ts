import type { Source, ToolBlock } from '../content-block.ts';
import { isList, listIn, objectIn, parseJson, textIn } from './foreign.ts';
import type { Outcome } from './outcome.ts';
import type { View } from './view.ts';

/** Tools that search the web: the pages found. */
export const webSearchView: View = {
  ofCall: () => [],
  ofResult(_parameters, outcome) {
    const reported = sourcesOfResults(outcome);
    return sourceBlocks(reported.length > 0 ? reported : sourcesOfText(outcome.text ?? ''));
  },
};

/** Tools that fetch one page. */
export const webFetchView: View = {
  ofCall: () => [],
  ofResult: (parameters, { details }) => sourceBlocks([sourceOf(details) ?? sourceOf(parameters)]),
};

/** The page that Codex's `web_search` opened or searched in, and the pages found where a version tells them. */
export function blocksOfWebSearchItem(item: unknown): ToolBlock[] {
  return sourceBlocks([sourceOf(objectIn(item, 'action')), ...(listIn(item, 'results') ?? []).map(sourceOf)]);
}

/** One block with each page once, or none. */
function sourceBlocks(sources: readonly (Source | undefined)[]): ToolBlock[] {
  const byUrl = new Map<string, Source>();
  for (const source of sources) if (source !== undefined && !byUrl.has(source.url)) byUrl.set(source.url, source);
  return byUrl.size === 0 ? [] : [{ type: 'sources', sources: [...byUrl.values()] }];
}

function sourceOf(value: unknown): Source | undefined {
  const url = textIn(value, 'url', 'uri');
  return url === undefined || !/^https?:\/\/\S/i.test(url)
    ? undefined
    : { id: url, url, title: textIn(value, 'title') ?? '' };
}

/** Claude Code's `results[].content[]`, or a list of results as the Messages API and others have it. */
function sourcesOfResults({ details, parts }: Outcome): (Source | undefined)[] {
  const results = listIn(details, 'results', 'sources') ?? parts;
  return results.flatMap((result) => (listIn(result, 'content') ?? [result]).map(sourceOf));
}

/** `Links: [{"title", "url"}]` of Claude Code's sub-agents, or Gemini CLI's `[1] title (url)` below `Sources:`. */
function sourcesOfText(text: string): (Source | undefined)[] {
  const lines = text.split('\n');
  const links = lines.find((line) => line.startsWith('Links: ['));
  if (links !== undefined) {
    const list = parseJson(links.slice('Links: '.length));
    return isList(list) ? list.map(sourceOf) : [];
  }
  const start = lines.indexOf('Sources:');
  return start === -1 ? [] : lines.slice(start + 1).map(sourceOfLine);
}

function sourceOfLine(line: string): Source | undefined {
  const open = line.lastIndexOf(' (');
  const number = /^\[\d{1,9}\] /.exec(line)?.[0];
  if (number === undefined || open < number.length || !line.endsWith(')')) return undefined;
  return sourceOf({ url: line.slice(open + 2, -1), title: line.slice(number.length, open) });
}
