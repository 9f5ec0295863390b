import type { ToolBlock } from '../content-block.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { definedFields, integerIn, isSetIn, listIn, quantityIn, textIn, textsOf } from './foreign.ts';
import type { Outcome } from './outcome.ts';
import type { View } from './view.ts';

/** Tools that look for files, or in files: the matches, without the agent's words around them. */
export const searchView: View = {
  ofCall: () => [],
  ofResult(parameters, outcome) {
    const found = matchesOf(outcome);
    if (found === undefined || found.content === '') return [];
    const metadata = definedFields({
      pattern: textIn(parameters, 'pattern', 'query'),
      path: textIn(parameters, 'path', 'dir_path', 'dir'),
      matches: found.matches,
      truncated: found.isCut ? true : undefined,
    });
    const block: ToolBlock = { type: 'code', content: found.content };
    return [metadata === undefined ? block : { ...block, metadata }];
  },
};

interface Matches {
  content: string;
  /** The number of matches, as far as the agent says so. */
  matches?: number | undefined;
  isCut: boolean;
}

function matchesOf({ details, text }: Outcome): Matches | undefined {
  const content = textIn(details, 'content');
  const files = textsOf(listIn(details, 'filenames'));
  const isCut = isSetIn(details, 'truncated') || quantityIn(details, 'appliedLimit') !== undefined;
  if (content !== undefined && content !== '')
    return { content, matches: integerIn(details, 'totalLines', 'numMatches', 'numLines'), isCut };
  if (files !== undefined)
    return { content: files.join('\n'), matches: integerIn(details, 'totalMatches', 'totalFiles', 'numFiles'), isCut };
  // An empty report means that nothing was found, even if the text says otherwise.
  if (content !== undefined || listIn(details, 'filenames') !== undefined) return undefined;
  return text === undefined ? undefined : matchesInText(text, details, isCut);
}

/** Longer lines are matches. */
const longestNote = 400;

/**
 * Reads the matches in a text. The first line may be a heading (`Found 2 matches`, `Directory listing for /x:`), the last
 * one may say that there are more. The other lines are matches; a single sentence says that nothing was found.
 */
function matchesInText(text: string, details: PlainObject, isCut: boolean): Matches | undefined {
  const lines = text.trimEnd().split('\n');
  const heading = /^(?:Found (\d{1,9}) [^\n]*|Directory listing for [^\n]*)$/u.exec(lines[0] ?? '');
  if (heading !== null) lines.shift();
  const last = lines.at(-1) ?? '';
  const isNoted = last.length < longestNote && /^[([].*\b(?:truncated|omitted|limit|pagination)\b/iu.test(last);
  if (isNoted) lines.pop();
  const content = lines.join('\n').trim();
  if (/^(?:No (?:files|matches|results)|Directory [^\n]* is empty)\b[^\n]*$/u.test(content)) return undefined;
  const counted = heading?.[1] === undefined ? undefined : Number(heading[1]);
  return { content, matches: integerIn(details, 'matches', 'count') ?? counted, isCut: isCut || isNoted };
}
