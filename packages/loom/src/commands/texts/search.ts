import { canonicalType, contentBlock } from '@loom/blocks';
import type { RootState } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { speakerOf } from '../../forest-view/node-line.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { listIds } from '../../runtime/conversations.ts';
import { findPlace, requireConversations } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { mostChecked, withReader } from '../../runtime/opened-folder.ts';
import { orFail } from '../../words/refusal-error.ts';
import { styleFor } from '../../terminal/style.ts';
import { nearest } from '@loom/blocks/nearest-word';
import { renderMatches } from '../../texts/match-lines.ts';
import { numberOption, textOption } from '../../texts/number-option.ts';
import { createSearchIndex } from '../../texts/search-index.ts';
import { idOfText } from '../../texts/text-place.ts';

/** `loom search <query>` */
export function searchTexts({ words, options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const [query = ''] = words;
  const kinds = readKinds(options);
  const path = textOption(options, 'path');
  const context = numberOption(options, 'context', 0) ?? 0;
  if (context > 100) throw new UsageError('bad-option', '--context takes at most 100 lines');
  const records = readRecordFilter(options);
  const maxMatches = numberOption(options, 'max', 1);
  const maxBlocks = numberOption(options, 'max-blocks', 1) ?? 100;
  const index = createSearchIndex(dataDir);
  return withReader({ dataDir, index, note: noteOf(terminal, isJson) }, async (loom) => {
    await requireConversations(loom);
    const named = await namedRoots(loom, options);
    const roots = named ?? (await listIds(loom));
    // What people have written into files is to be found too, in the conversations that were begun last.
    for (const root of roots.slice(-mostChecked)) await loom.check(root);
    const outcome = await loom.call('kernel.search', {
      query,
      literal: options.has('literal'),
      ignore_case: options.has('ignore-case'),
      ...(kinds === undefined ? {} : { kinds }),
      ...(named === undefined ? {} : { roots: named }),
      ...records,
      context_lines: context,
      line_numbers: false,
      // One more than is shown: only then it is known that there are more.
      max_blocks: maxBlocks + 1,
      ...(path === undefined ? {} : { path_prefix: path }),
      ...(maxMatches === undefined ? {} : { max_matches_per_block: maxMatches }),
    });
    const { blocks: all, truncated: isCut } = orFail(outcome);
    const states = await openFound(loom, roots, all);
    const blocks = all.slice(0, maxBlocks).map((found) => ({ ...found, ...locate(states, found.block_id) }));
    const hasMore = all.length > maxBlocks;
    // Matches left out of a text are said there.
    const isUnseen = isCut && !hasMore && all.every(({ truncated }) => truncated !== true);
    const isDamaged = loom.damaged.size > 0;
    if (isUnseen && !isDamaged && !isJson) terminal.note(`${unseenNote}\n`);
    if (blocks.length === 0) throw isUnseen ? searchedInPart(query, isDamaged) : noMatch(query, options);
    const style = styleFor(terminal, 'out');
    for (const [index, { name, about, matches, truncated, ...block }] of blocks.entries()) {
      if (isJson) {
        terminal.out(`${JSON.stringify({ ...block, matches, ...(truncated === true ? { truncated } : {}) })}\n`);
        continue;
      }
      const heading = [about, ...(block.path === undefined ? [] : [showControls(block.path)])].join(', ');
      const lines = renderMatches(matches, context, style, terminal.screen.isOut);
      const more = truncated === true ? [style.faint('… and more: --max shows them')] : [];
      terminal.out(
        `${index === 0 ? '' : '\n'}${[`${style.strong(name)}  ${heading}`, ...lines, ...more].join('\n')}\n`,
      );
    }
    // A program has to know that there may be more, whatever was left out.
    if (isJson && (isCut || hasMore)) terminal.out(`${JSON.stringify({ truncated: true })}\n`);
    if (hasMore && !isJson) {
      terminal.note(
        `Only the first ${maxBlocks} texts are shown; --max-blocks shows more, --root and --kind narrow it.\n`,
      );
    }
    return EXIT.ok;
  });
}

const unseenNote = 'There was too much to search through, so some texts were not looked at.';

function searchedInPart(query: string, isDamaged: boolean): LoomError {
  const advice = isDamaged
    ? 'Not all conversations can be read.'
    : `${unseenNote} Narrow it with --root or --kind, or use a pattern with more letters in it.`;
  return new LoomError(
    'search-incomplete',
    `no match for ${showControls(query)} was found in the texts that were searched`,
    { advice },
  );
}

function noMatch(query: string, options: Call['options']): LoomError {
  const hints = [
    ...(options.has('ignore-case') ? [] : ['The search is case-sensitive; -i ignores case.']),
    ...(options.has('literal') || !/[\\^$.|?*+()[\]{}]/.test(query) ? [] : ['To search for the text as it is: -F.']),
  ];
  const about = hints.length === 0 ? {} : { advice: hints.join(' ') };
  return new LoomError('no-match', `there is no match for ${showControls(query)}`, about);
}

/** Every type of block: by default all are searched. */
const types: readonly string[] = contentBlock.options.map(({ shape }) => shape.type.value);

function readKinds(options: Call['options']): string[] | undefined {
  const given = textOption(options, 'kind');
  if (given === undefined) return undefined;
  const known = [...types, 'tool_result'];
  return readList(given).map((kind) => {
    if (known.includes(canonicalType(kind))) return kind;
    const guess = nearest(kind, known);
    throw new UsageError('bad-option', `there is no kind of block ${JSON.stringify(kind)}`, {
      advice: guess === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${guess}?`,
    });
  });
}

/** What is asked of blocks beside their kinds: who wrote them, when, and whether something went wrong. */
function readRecordFilter(options: Call['options']) {
  const agents = textOption(options, 'agent');
  return {
    ...(agents === undefined ? {} : { agents: readList(agents) }),
    ...(options.has('errors') ? { errors: true } : {}),
    ...readTime(options, 'after'),
    ...readTime(options, 'before'),
  };
}

function readTime(options: Call['options'], name: 'after' | 'before'): { [Name in 'after' | 'before']?: string } {
  const given = textOption(options, name);
  if (given === undefined) return {};
  const isDate = /^\d{4}-\d{2}-\d{2}$/u.test(given);
  // What says no zone means that of the one who types it.
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/u.test(given)
    ? new Date(isDate ? `${given}T00:00` : given)
    : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw new UsageError('bad-option', `--${name} takes a date or a time, not ${JSON.stringify(given)}`, {
      advice: `For example: --${name} 2026-01-31, or --${name} 2026-01-31T09:00.`,
    });
  }
  return { [name]: time.toISOString() };
}

function readList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** The conversations that were named to be searched. */
async function namedRoots(loom: Loom, options: Call['options']): Promise<string[] | undefined> {
  const given = textOption(options, 'root');
  if (given === undefined) return undefined;
  const roots: string[] = [];
  for (const word of readList(given)) {
    const { root, node } = await findPlace(loom, word);
    const state = await loom.open(root);
    if (node !== root || state.deleted) {
      throw new LoomError('root-not-found', `${word} is ${node === root ? 'deleted' : 'a node, not a conversation'}`, {
        advice: node === root ? `To bring it back: loom restore ${root}` : `Its conversation is ${root}`,
      });
    }
    roots.push(root);
  }
  return roots;
}

/** The conversations in which something was found, each as it is once nothing is open any more that a killed process has left. */
function openFound(loom: Loom, roots: readonly string[], found: readonly { block_id: string }[]): Promise<RootState[]> {
  const holders = roots.filter((root) => found.some(({ block_id: block }) => block.startsWith(`${root}/`)));
  return Promise.all(holders.map((root) => loom.open(root)));
}

/** Where a block is, and what it is called. */
function locate(states: readonly RootState[], id: string) {
  for (const state of states) {
    const node = state.nodes.get(state.nodeOfBlock.get(id) ?? '');
    const block = state.block(id);
    if (node === undefined || block === undefined) continue;
    const { role } = node;
    const about = `${speakerOf(node)}, ${block.type}`;
    return { root: state.id, node: node.id, role, kind: block.type, name: idOfText(node, block), about };
  }
  throw new TypeError(`the search found ${id} in no conversation`);
}
