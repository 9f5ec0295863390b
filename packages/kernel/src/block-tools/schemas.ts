import { z } from 'zod';
import { blockStatus, isJson, isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { blockId, knownBlockId, rootId } from '../forest/ids.ts';
import { once } from '../once.ts';

/** The parameters and results of the block tools. Every door takes its schema from here. */

const status = blockStatus.describe('pending, running, done or error.');
const line = z.int().nonnegative();
const count = z.int().positive();
const version = z.int().nonnegative();
const metadata = z
  .custom<PlainObject>((value) => isPlainObject(value) && isJson(value), { error: 'must be a JSON object' })
  .meta({ type: 'object' });

/** A type of block, in any spelling that is accepted. */
const kind = z.string().describe('text, thinking, code, tool_call, tool_result or file, or another type of block.');

export const createParams = once(() =>
  z.strictObject({
    parent_id: blockId
      .exactOptional()
      .describe('The block or node to continue from, or a root. Without it, a new conversation starts.'),
    role: z
      .enum(['user', 'assistant', 'model', 'tool', 'system'])
      .describe(
        "The author's role. model means the same as assistant; system is refused, because the system prompt belongs to the conversation.",
      ),
    kind: z
      .string()
      .describe('text (any role), thinking or tool_call (assistant), code (assistant or tool), or tool_result (tool).'),
    content: z
      .string()
      .exactOptional()
      .describe(
        'The text, or the arguments of a tool_call as JSON. Without content, the block is pending and waits for block.append.',
      ),
    metadata: metadata
      .exactOptional()
      .describe(
        'Stored with the block. path and language describe code; a tool_call needs tool_name; tool_call_id names the call that a tool_result answers, unless parent_id is that call.',
      ),
  }),
);
export const createResult = once(() => z.strictObject({ block_id: z.string(), version, node_id: z.string() }));

export const statusParams = once(() =>
  z.strictObject({
    block_id: blockId,
    status: status.describe('Status only moves forward: pending, running, then done or error, which are final.'),
    error: z
      .strictObject({
        code: z.string().describe('A short name for programs.'),
        message: z.string().describe('A sentence for people.'),
      })
      .exactOptional()
      .describe('What went wrong. Only with status error.'),
  }),
);

export const appendParams = once(() =>
  z.strictObject({
    block_id: blockId,
    text: z.string().describe('Appended unchanged: no line break is added before or after it.'),
  }),
);

const startLine = line.describe('The first line, counted from 0 as block.read numbers them.');
const endLine = line.describe('The line after the last one: exclusive, so a single line n is n to n + 1.');
const expectedText = z
  .string()
  .exactOptional()
  .describe('The current text of these lines, without their numbers. The edit is refused if they say anything else.');
const lines = z
  .string()
  .describe(
    'Whole lines. The last line break may be omitted. An empty string adds no line; a single line break adds an empty line.',
  );

const lineOperation = once(() =>
  z.discriminatedUnion('op', [
    z.strictObject({
      op: z.literal('insert').describe('Inserts lines before a line.'),
      line: line.describe('Insert before this line, counted from 0. To insert at the end, pass the number of lines.'),
      content: lines,
    }),
    z.strictObject({
      op: z.literal('delete').describe('Deletes lines.'),
      start_line: startLine,
      end_line: endLine,
      expected_text: expectedText,
    }),
    z.strictObject({
      op: z.literal('replace').describe('Replaces lines.'),
      start_line: startLine,
      end_line: endLine,
      content: lines,
      expected_text: expectedText,
    }),
  ]),
);

export const editParams = once(() =>
  z.strictObject({
    block_id: blockId,
    operations: z
      .array(lineOperation())
      .min(1)
      .describe(
        'Line numbers refer to the text before the call, so do not adjust them for earlier operations. Operations must not overlap. Either all are applied or none.',
      ),
    base_version: version
      .exactOptional()
      .describe(
        'The version that block.read returned with the lines. Later changes by others are merged; the edit is refused only if they touched the same lines. Default: the newest version.',
      ),
  }),
);

export const spliceParams = once(() =>
  z.strictObject({
    block_id: blockId,
    offset: z.int().nonnegative().describe('The position, in UTF-8 bytes from the beginning; not inside a character.'),
    delete_count: z.int().nonnegative().describe('How much to delete at the position, in UTF-8 bytes; 0 only inserts.'),
    insert: z.string().exactOptional().describe('The text to insert. Default: nothing.'),
  }),
);

export const patchParams = once(() =>
  z.strictObject({
    block_id: blockId,
    patch: z
      .string()
      .describe(
        'A unified diff of this one text, with @@ hunks and enough context. File headers are optional and ignored.',
      ),
    dry_run: z.boolean().exactOptional().describe('Only check whether it would apply. Default: false.'),
  }),
);
export const patchResult = once(() =>
  z.strictObject({
    version: version.exactOptional().describe('Absent after a dry run.'),
    offsets: z
      .array(z.int())
      .exactOptional()
      .describe('How many lines away from its stated position each hunk was found. Absent if the request is a repeat.'),
  }),
);

export const readParams = once(() =>
  z.strictObject({
    block_id: blockId,
    line_numbers: z.boolean().exactOptional().describe('Prefix each line with its number and a tab. Default: true.'),
    range: z
      .strictObject({
        start: line.describe('The first line, counted from 0.'),
        end: line.describe('The line after the last one.'),
      })
      .exactOptional()
      .describe('Only some lines. Default: all.'),
    version: version.exactOptional().describe('An earlier version. Default: the newest.'),
  }),
);
export const readResult = once(() =>
  z.strictObject({
    content: z.string(),
    metadata,
    role: z.enum(['user', 'assistant', 'tool']),
    kind: z.string(),
    status: blockStatus,
    version,
    line_count: z.int().nonnegative(),
  }),
);

const query = z.string().describe('A regular expression in RE2 syntax, matched line by line.');
const literal = z
  .boolean()
  .exactOptional()
  .describe('Treat the query as plain text, not as a regular expression. Default: false.');
const ignoreCase = z.boolean().exactOptional().describe('Ignore case. Default: false.');
const contextLines = z
  .int()
  .nonnegative()
  .max(100)
  .exactOptional()
  .describe('The number of lines to show before and after each match. Default: 2.');

export const searchParams = once(() =>
  z.strictObject({
    block_id: blockId,
    query,
    literal,
    ignore_case: ignoreCase,
    context_lines: contextLines,
    max_matches: count.exactOptional().describe('At most this many matches. Default: 20.'),
  }),
);
const match = once(() =>
  z.strictObject({
    line,
    content: z
      .string()
      .describe(
        'The matching line and the lines around it, each prefixed with its number unless line_numbers is false: 12: marks the match, 11- a line around it.',
      ),
    match_start: z.int().nonnegative().describe('Columns in the matching line, in UTF-16 units.'),
    match_end: z.int().nonnegative(),
  }),
);
const isIncomplete = z.boolean().describe('There are more matches than listed, or not everything was searched.');
export const searchResult = once(() => z.strictObject({ matches: z.array(match()), truncated: isIncomplete }));

/** A date is its midnight in UTC. */
const moment = z
  .string()
  .refine(
    (text) => z.iso.date().safeParse(text).success || z.iso.datetime({ offset: true }).safeParse(text).success,
    'give a date as 2026-01-31, or a time as 2026-01-31T12:00:00Z',
  );

/** Values of a filter of conversations, any of which will do. */
function anyOf(words: string) {
  return z.array(z.string()).min(1).max(200).exactOptional().describe(words);
}

export const kernelSearchParams = once(() =>
  z.strictObject({
    query,
    literal,
    ignore_case: ignoreCase,
    kinds: z
      .array(kind)
      .exactOptional()
      .describe(
        'The kinds of blocks to search: text, thinking, code, tool_call, tool_result and others. Default: all.',
      ),
    path_prefix: z.string().exactOptional().describe('Only blocks whose path begins with this.'),
    roots: z.array(rootId).exactOptional().describe('Only these conversations. Default: all.'),
    agents: z
      .array(z.string())
      .exactOptional()
      .describe('Only blocks by these agents: person, anthropic:claude-x, or anthropic for all its models.'),
    roles: z
      .array(z.enum(['user', 'assistant', 'tool']))
      .exactOptional()
      .describe('Only blocks of messages with these roles. Default: all.'),
    project: anyOf('Only in conversations of these projects, by id or name; "" for those without one.'),
    source: anyOf('Only in those imported from these programs, by their names in origins; loom for the others.'),
    model: anyOf('Only in those whose newest answer one of these models wrote.'),
    errors: z.boolean().exactOptional().describe('Only failures: errors, interrupted messages, failed calls.'),
    after: moment.exactOptional().describe('Only blocks started at this time or later: 2026-01-31, or with a time.'),
    before: moment.exactOptional().describe('Only blocks started before this time.'),
    context_lines: contextLines,
    line_numbers: z.boolean().exactOptional().describe('Prefix each line with its number. Default: true.'),
    max_matches_per_block: count.exactOptional().describe('At most this many matches per block. Default: 20.'),
    max_blocks: count.exactOptional().describe('At most this many blocks. Default: 100.'),
    max_blocks_per_root: count
      .exactOptional()
      .describe('At most this many blocks per conversation, the best ones; the rest are only counted. Default: all.'),
    from: z.string().exactOptional().describe('The value of next from the previous page. Default: from the beginning.'),
  }),
);
export const kernelSearchResult = once(() =>
  z.strictObject({
    blocks: z.array(
      z.strictObject({
        block_id: z.string(),
        path: z.string().exactOptional(),
        matches: z.array(match()),
        truncated: z.literal(true).exactOptional().describe('This block has more matches.'),
      }),
    ),
    conversations: z
      .array(z.strictObject({ root: z.string(), blocks: z.int().nonnegative() }))
      .describe(
        'The conversations of these blocks, best first, with the number of matching blocks found in each so far.',
      ),
    truncated: isIncomplete,
    complete: z
      .boolean()
      .describe(
        'Whether everything was searched. If not, continue with next; without next, some of it cannot be searched.',
      ),
    searched: z
      .strictObject({ conversations: z.int().nonnegative(), of: z.int().nonnegative() })
      .describe('How many conversations were searched so far, and the total.'),
    next: z.string().exactOptional().describe('Pass it as from to continue the search.'),
  }),
);

export const listParams = once(() =>
  z.strictObject({
    parent_id: blockId
      .exactOptional()
      .describe('List what comes after this block, node or root. Default: the beginning of every conversation.'),
    kind: kind.exactOptional().describe('Only blocks of this kind.'),
    status: status.exactOptional().describe('Only blocks with this status.'),
    path_prefix: z.string().exactOptional().describe('Only blocks whose path begins with this.'),
    depth: count.exactOptional().describe('How many messages deep to go on each branch. Default: 1.'),
  }),
);
export const listedBlock = once(() =>
  z.strictObject({
    block_id: z.string(),
    parent_id: z.string().exactOptional(),
    role: z.enum(['user', 'assistant', 'tool']),
    kind: z.string(),
    status: blockStatus,
    path: z.string().exactOptional(),
    summary: z.string(),
    version,
    dirty: z.boolean(),
  }),
);
export const listResult = once(() => z.array(listedBlock()));

export const undoParams = once(() =>
  z.strictObject({
    block_id: blockId,
    version: version
      .exactOptional()
      .describe(
        'The version that the edit made, from block.history or the result of block.edit: that edit alone. Default: your last edit.',
      ),
  }),
);
export const versionResult = once(() => z.strictObject({ version }));

/** The states of an edit, which versions made by an edit have. */
export const editStates = ['done', 'undone', 'fixed', 'gone'] as const;
export type EditState = (typeof editStates)[number];

export const historyParams = once(() =>
  z.strictObject({
    block_id: blockId,
    before: version.exactOptional().describe('Only versions before this one, to page back.'),
    limit: count.exactOptional().describe('At most this many versions, the newest ones. Default: 100.'),
    edits: z.boolean().exactOptional().describe('Says of each edit whether it can be undone. Default: false.'),
  }),
);
export const historyResult = once(() =>
  z.array(
    z.strictObject({
      version,
      seq: z.int().positive(),
      time: z.string(),
      agent: z.string(),
      turn: z.string().exactOptional(),
      what: z.array(z.enum(['added', 'text', 'status', 'replaced'])),
      status: blockStatus,
      inserted: z.int().nonnegative().describe('UTF-16 units.'),
      deleted: z.int().nonnegative(),
      edit: z
        .enum(editStates)
        .exactOptional()
        .describe(
          'With edits: the edit is in effect (done) or undone, or can be neither undone nor redone any more: fixed if it is in effect, gone if not.',
        ),
    }),
  ),
);

export const diffParams = once(() =>
  z.strictObject({
    block_id: blockId,
    from_version: version.describe('The version to compare with.'),
    to_version: version.exactOptional().describe('The version to show. Default: the newest.'),
  }),
);
export const diffResult = once(() =>
  z.strictObject({
    from_version: version,
    to_version: version,
    diff: z.string().describe('A unified diff; empty if nothing differs.'),
  }),
);

const versions = once(() => z.array(z.tuple([knownBlockId, version])));

export const subscribeParams = once(() =>
  z.strictObject({
    block_ids: z.array(blockId).exactOptional().describe('Only these blocks. Default: all.'),
    from_versions: versions()
      .exactOptional()
      .describe(
        'The versions that the caller knows. Later changes are sent first, including new blocks in these conversations. Default: from now on.',
      ),
  }),
);
const splice = once(() =>
  z.strictObject({ at: z.int().nonnegative(), delete: z.int().nonnegative(), insert: z.string() }),
);
export const blockPatch = once(() =>
  z.strictObject({
    block_id: z.string(),
    version,
    changes: z.array(splice()).exactOptional().describe('Replacements in the text of the version before, in UTF-16.'),
    appended: z.string().exactOptional().describe('The text that was appended.'),
    field: z.string().exactOptional().describe('The field it was appended to, if not the text.'),
    status: blockStatus.exactOptional(),
    content: z.string().exactOptional().describe('The whole text, if it was replaced.'),
    removed: z.literal(true).exactOptional().describe('The block no longer exists. It may be restored.'),
    update: z.string().exactOptional().describe('For Yjs documents, in base64.'),
  }),
);
export type BlockPatch = z.infer<ReturnType<typeof blockPatch>>;
const snapshot = once(() => z.strictObject({ ...listedBlock().shape, content: z.string(), metadata }));
export type BlockSnapshot = z.infer<ReturnType<typeof snapshot>>;

export const syncParams = once(() =>
  z.strictObject({
    versions: versions().describe(
      'The blocks that the caller knows, each with its version. If empty, all blocks of all conversations are sent.',
    ),
  }),
);
export const syncResult = once(() =>
  z.strictObject({ patches: z.array(blockPatch()), new_blocks: z.array(snapshot()) }),
);

export const cursorParams = once(() =>
  z.strictObject({
    block_id: blockId,
    anchor: z.int().nonnegative().describe('The UTF-16 offset where the selection starts.'),
    head: z.int().nonnegative().exactOptional().describe('Where it ends. Default: the anchor.'),
  }),
);
export const cursorResult = once(() => z.strictObject({ version }));
