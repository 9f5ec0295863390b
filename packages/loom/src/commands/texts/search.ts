import { blockKind, blockKinds, splitPath } from '@loom/blocks';
import type { ParamsOf, ResultOf, RootState } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { speakerOf } from '../../forest-view/node-line.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { listIds } from '../../runtime/conversations.ts';
import { findPlace, requireConversations } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { mostChecked, withReader } from '../../runtime/opened-folder.ts';
import { orFail } from '../../words/refusal-error.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { nearest } from '@loom/blocks/nearest-word';
import { renderMatches } from '../../texts/match-lines.ts';
import { numberOption, textOption } from '../../texts/number-option.ts';
import { createCommandIndex } from '../../texts/search-index.ts';
import { idOfText } from '../../texts/text-place.ts';
import { findSaved, readSearch, savedSearches, saveSearch, writeSearch } from './saved-search.ts';

/** `loom search <query>`, `loom search --saved [<name>]` */
export async function searchTexts(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, isJson, terminal } = call;
  const [query] = words;
  const saving = textOption(options, 'save');
  if (options.has('saved')) return searchSaved(call, query);
  if (query === undefined)
    throw new UsageError('missing-word', 'search needs a query', {
      advice: 'With --saved alone it lists the saved ones.',
    });
  // Refused before anything is looked for.
  const written = saving === undefined ? '' : writeSearch(query, options);
  const code = await searchFor({ ...call, words: [query] });
  if (saving === undefined) return code;
  await withPresentData({ dataDir, store: call.store }, (loom) => saveSearch(loom, saving, written));
  if (!isJson) terminal.note(`Saved as ${showControls(saving)}, also in the page.\n`);
  return code;
}

/** Lists the saved searches, or does one of them. */
async function searchSaved(call: Call, name: string | undefined): Promise<ExitCode> {
  const { dataDir, isJson, terminal } = call;
  const note = noteOf(terminal, isJson);
  if (name === undefined) {
    const known = await withReader({ dataDir, note }, savedSearches);
    for (const saved of known)
      terminal.out(isJson ? `${JSON.stringify(saved)}\n` : `${showControls(`${saved.name}  ${saved.query}`)}\n`);
    if (known.length === 0 && !isJson) terminal.note('No search is saved. Save one: loom search tides --save tides\n');
    return EXIT.ok;
  }
  const saved = await withReader({ dataDir, note }, (loom) => findSaved(loom, name));
  const { query, options } = readSearch(saved);
  const own = [...call.options].filter(([option]) => option !== 'saved');
  return searchFor({ ...call, words: [query], options: new Map([...options, ...own]) });
}

function searchFor({ words, options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const [query = ''] = words;
  const kinds = readKinds(options);
  const path = textOption(options, 'path');
  const context = numberOption(options, 'context', 0) ?? 0;
  if (context > 100) throw new UsageError('bad-option', '--context takes at most 100 lines');
  const records = readRecordFilter(options);
  const maxMatches = numberOption(options, 'max', 1);
  const maxBlocks = numberOption(options, 'max-blocks', 1) ?? 100;
  const from = textOption(options, 'from');
  const index = createCommandIndex(dataDir);
  return withReader({ dataDir, index, note: noteOf(terminal, isJson) }, async (loom) => {
    await requireConversations(loom);
    const named = await namedRoots(loom, options);
    const roots = named ?? (await listIds(loom));
    // Edits in files are to be found too, in the conversations that were begun last.
    for (const root of roots.slice(-mostChecked)) await loom.check(root);
    const params = {
      query,
      literal: options.has('literal'),
      ignore_case: !options.has('case-sensitive'),
      ...(kinds === undefined ? {} : { kinds }),
      ...(named === undefined ? {} : { roots: named }),
      ...records,
      context_lines: context,
      line_numbers: false,
      ...(path === undefined ? {} : { path_prefix: path }),
      ...(maxMatches === undefined ? {} : { max_matches_per_block: maxMatches }),
    };
    const found = await searchOn(loom, params, maxBlocks, from);
    await index.close();
    const { next, searched } = found;
    const states = await openFound(loom, roots, found.blocks);
    const blocks = found.blocks.map((block) => ({ ...block, ...locate(states, block.block_id) }));
    // Conversations that cannot be read are reported separately.
    const isUnseen = !found.complete && next === undefined && loom.damaged.size === 0;
    if (isUnseen && !isJson) terminal.note(`${unseenNote}\n`);
    if (blocks.length === 0)
      throw found.complete ? noMatch(query, options) : searchedInPart(query, loom.damaged.size > 0);
    const style = styleFor(terminal, 'out');
    const headings = terminal.screen.isOut && !isJson ? await groupHeadings(loom, found) : new Map<string, string>();
    let last: string | undefined;
    for (const [index, { name, about, matches, truncated, ...block }] of blocks.entries()) {
      if (isJson) {
        terminal.out(`${JSON.stringify({ ...block, matches, ...(truncated === true ? { truncated } : {}) })}\n`);
        continue;
      }
      const group = block.root === last ? undefined : headings.get(block.root);
      last = block.root;
      if (group !== undefined) terminal.out(`${index === 0 ? '' : '\n'}${style.faint(group)}\n`);
      const heading = [about, ...(block.path === undefined ? [] : [showControls(block.path)])].join(', ');
      const lines = renderMatches(matches, context, style, terminal.screen.isOut);
      const more = truncated === true ? [style.faint('… and more: --max shows them')] : [];
      terminal.out(
        `${index === 0 || group !== undefined ? '' : '\n'}${[`${style.strong(name)}  ${heading}`, ...lines, ...more].join('\n')}\n`,
      );
    }
    // A program has to know that there may be more, whatever the reason.
    if (isJson && found.truncated) {
      const rest = { truncated: true, complete: found.complete, ...(next === undefined ? {} : { next }) };
      terminal.out(`${JSON.stringify(rest)}\n`);
    }
    if (next !== undefined && !isJson) {
      terminal.note(
        `These are the first ${blocks.length} texts; ${searched.conversations} of ${searched.of} conversations were searched. --max-blocks shows more, --root and --kind narrow it. To search on from here:\n  --from '${next}'\n`,
      );
    }
    return EXIT.ok;
  });
}

type SearchParams = ParamsOf<'kernel.search'>;

/** Searches page by page until there are enough texts, or everything was searched: a person at a terminal can end it. */
async function searchOn(
  loom: Loom,
  params: SearchParams,
  most: number,
  from: string | undefined,
): Promise<ResultOf<'kernel.search'>> {
  const first = orFail(await loom.call('kernel.search', pageParams(params, most, from)));
  let [page, truncated] = [first, first.truncated];
  const blocks = [...first.blocks];
  while (page.next !== undefined && blocks.length < most) {
    page = orFail(await loom.call('kernel.search', pageParams(params, most - blocks.length, page.next)));
    blocks.push(...page.blocks);
    // That a page is not the last one does not matter once the next one is there.
    truncated = page.truncated || blocks.some((block) => block.truncated);
  }
  return { ...page, blocks, truncated };
}

function pageParams(params: SearchParams, most: number, from: string | undefined): SearchParams {
  return { ...params, max_blocks: most, ...(from === undefined ? {} : { from }) };
}

const unseenNote = 'Some texts are too long for this pattern, so not everything was searched.';

function searchedInPart(query: string, isDamaged: boolean): LoomError {
  const advice = isDamaged
    ? 'Not all conversations can be read.'
    : `${unseenNote} Use a pattern with more letters in it.`;
  return new LoomError(
    'search-incomplete',
    `no match for ${showControls(query)} was found in the texts that were searched`,
    { advice },
  );
}

function noMatch(query: string, options: Call['options']): LoomError {
  const hints = [
    ...(options.has('case-sensitive') ? ['Without -s the search ignores case.'] : []),
    ...(options.has('literal') || !/[\\^$.|?*+()[\]{}]/.test(query) ? [] : ['To search for the text as it is: -F.']),
  ];
  const about = hints.length === 0 ? {} : { advice: hints.join(' ') };
  return new LoomError('no-match', `there is no match for ${showControls(query)}`, about);
}

function readKinds(options: Call['options']): string[] | undefined {
  const given = textOption(options, 'kind');
  if (given === undefined) return undefined;
  return readList(given).map((kind) => {
    if (blockKind(kind) !== undefined) return kind;
    const guess = nearest(kind, blockKinds);
    throw new UsageError('bad-option', `there is no kind of block ${JSON.stringify(kind)}`, {
      advice: guess === undefined ? `There are: ${blockKinds.join(', ')}.` : `Did you mean ${guess}?`,
    });
  });
}

/** Reads the filters beside kinds: author, role, time and errors of blocks, project, program and model of conversations. */
function readRecordFilter(options: Call['options']) {
  const agents = textOption(options, 'agent');
  const [project, source, model] = [
    textOption(options, 'project'),
    textOption(options, 'source'),
    textOption(options, 'model'),
  ];
  return {
    ...readRoles(options),
    ...(project === undefined ? {} : { project: readList(project).map((name) => (name === 'none' ? '' : name)) }),
    ...(source === undefined ? {} : { source: readList(source) }),
    ...(model === undefined ? {} : { model: readList(model) }),
    ...(agents === undefined ? {} : { agents: readList(agents) }),
    ...(options.has('errors') ? { errors: true } : {}),
    ...readTime(options, 'after'),
    ...readTime(options, 'before'),
  };
}

const roles = ['user', 'assistant', 'tool'] as const;

function readRoles(options: Call['options']): { roles?: (typeof roles)[number][] } {
  const given = textOption(options, 'role');
  if (given === undefined) return {};
  return {
    roles: readList(given).map((word) => {
      const role = roles.find((one) => one === word);
      if (role !== undefined) return role;
      throw new UsageError('bad-option', `there is no role ${JSON.stringify(word)}`, {
        advice: `There are: ${roles.join(', ')}.`,
      });
    }),
  };
}

/** Returns a line for each conversation in which something was found: its name, project, program, day, and number of texts. */
async function groupHeadings(loom: Loom, found: ResultOf<'kernel.search'>): Promise<Map<string, string>> {
  const counts = new Map<string, number>();
  const firsts = new Map<string, string>();
  for (const { block_id: block } of found.blocks) {
    const root = block.slice(0, block.indexOf('/'));
    counts.set(root, (counts.get(root) ?? 0) + 1);
    if (!firsts.has(root)) firsts.set(root, block);
  }
  const blocks = [...firsts.values()].slice(0, 100);
  const { places } = orFail(await loom.call('block.locate', { blocks }));
  return new Map(
    places.map(({ root, root_title: title, opening, directory, source, time }) => {
      const about = [
        directory === undefined ? 'no project' : splitPath(directory).name,
        ...(source === undefined ? [] : [source]),
        time.slice(0, 10),
        count(counts.get(root) ?? 0, 'text'),
      ];
      return [root, showControls(`${(title ?? opening).split('\n', 1)[0] ?? ''}  ${about.join(' · ')}`)];
    }),
  );
}

function readTime(options: Call['options'], name: 'after' | 'before'): { [Name in 'after' | 'before']?: string } {
  const given = textOption(options, name);
  if (given === undefined) return {};
  const isDate = /^\d{4}-\d{2}-\d{2}$/u.test(given);
  // A time without a zone means the zone of the person who types it.
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

/** Opens the conversations in which something was found, after closing turns that a killed process has left open. */
function openFound(loom: Loom, roots: readonly string[], found: readonly { block_id: string }[]): Promise<RootState[]> {
  const holders = roots.filter((root) => found.some(({ block_id: block }) => block.startsWith(`${root}/`)));
  return Promise.all(holders.map((root) => loom.open(root)));
}

/** Returns the place of a block, and its name. */
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
