import { fromBase64, messageBlock } from '@loom/blocks';
import { z } from 'zod';
import { rootOfId } from '../forest/reading/block-place.ts';
import type { Answer, BlockTools } from '../block-tools/block-tools.ts';
import * as schemas from '../block-tools/schemas.ts';
import type { LoomEngine } from './calling/engine.ts';
import { refuseValue } from '../refusal.ts';
import type { Outcome, Refused } from '../refusal.ts';
import { blockToolDoors } from './doors.ts';
import { blockId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import type { Caller } from './operation.ts';
import { narrowedRoots } from './listing/narrowed-roots.ts';

/**
 * The block operations for people, programs and models. `block.subscribe` yields again and again and is
 * `BlockTools.subscribe`.
 */

function toolsFor({ blocks }: LoomEngine, { roots }: Caller): BlockTools {
  return roots === undefined ? blocks : blocks.within(roots);
}

function answered<T>(answer: Answer<T>): Outcome<T> {
  return isRefused(answer) ? answer : { ok: true, value: answer };
}

function isRefused(answer: unknown): answer is Refused {
  return typeof answer === 'object' && answer !== null && 'refusal' in answer;
}

const blockCreate = defineOperation({
  name: 'block.create',
  summary:
    'Adds a block to a conversation and returns its id. It goes into the message of parent_id if the same role is still writing that message, otherwise into a new message below it. With content, the block is done at once. Without content, it is pending: add text with block.append, then end it with block.status.',
  params: schemas.createParams,
  result: schemas.createResult,
  refusals: ['turn-live', 'block-not-found', 'orphan-result', 'bad-status', 'empty-message'],
  effect: 'changes',
  role: 'appender',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).create(caller, params)),
});

const blockStatus = defineOperation({
  name: 'block.status',
  summary:
    'Ends a block that you have been writing, with done or error, or marks it as running. Blocks created with content are already done.',
  params: schemas.statusParams,
  result: schemas.versionResult,
  refusals: ['block-not-found', 'turn-live', 'bad-status'],
  effect: 'changes',
  role: 'appender',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).status(caller, params)),
});

const blockAppend = defineOperation({
  name: 'block.append',
  summary:
    'Appends text to a block that is pending or running. The first append makes it running. To change a finished block, use block.edit.',
  params: schemas.appendParams,
  result: schemas.versionResult,
  refusals: ['block-not-found', 'turn-live', 'bad-status', 'not-text'],
  effect: 'changes',
  role: 'appender',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).append(caller, params)),
});

const blockEdit = defineOperation({
  name: 'block.edit',
  summary:
    'Inserts, deletes and replaces whole lines of a text. Either all operations of a call are applied or none. Read the block first, use the line numbers from block.read, and state in expected_text what you mean to overwrite. Undo reverts the whole call.',
  params: schemas.editParams,
  result: schemas.versionResult,
  refusals: [
    'block-not-found',
    'turn-live',
    'bad-status',
    'not-text',
    'line-out-of-range',
    'text-mismatch',
    'version-mismatch',
    'batch-failed',
    'version-not-found',
    'empty-message',
  ],
  effect: 'changes',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).edit(caller, params)),
});

const blockSplice = defineOperation({
  name: 'block.splice',
  summary:
    'Replaces bytes of a text, for programs that know exact offsets. To edit text that you have read, use block.edit.',
  params: schemas.spliceParams,
  result: schemas.versionResult,
  refusals: ['block-not-found', 'turn-live', 'bad-status', 'not-text', 'empty-message'],
  effect: 'changes',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).splice(caller, params)),
});

const blockApplyPatch = defineOperation({
  name: 'block.apply_patch',
  summary:
    'Applies a unified diff to a text: at the exact lines, or where its context is found, or not at all. Returns success with the new version, or errors that say which hunk does not fit.',
  params: schemas.patchParams,
  result: schemas.patchResult,
  refusals: ['block-not-found', 'turn-live', 'bad-status', 'not-text', 'patch-failed', 'empty-message'],
  effect: 'changes',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).applyPatch(caller, params)),
});

const flipRefusals = [
  'block-not-found',
  'turn-live',
  'bad-status',
  'not-text',
  'nothing-to-undo',
  'version-not-found',
  'empty-message',
] as const;

const blockUndo = defineOperation({
  name: 'block.undo',
  summary: 'Undoes your last edit of a text, one call at a time, or the edit that made a version. Other edits stay.',
  params: schemas.undoParams,
  result: schemas.versionResult,
  refusals: flipRefusals,
  effect: 'changes',
  doors: blockToolDoors,
  run: async (engine, caller, params) =>
    answered(await toolsFor(engine, caller).undo(caller, params, { onlyOwn: caller.type === 'model' })),
});

const blockRedo = defineOperation({
  name: 'block.redo',
  summary: 'Redoes what was last undone with block.undo, unless its agent has edited the text since.',
  params: schemas.undoParams,
  result: schemas.versionResult,
  refusals: flipRefusals,
  effect: 'changes',
  doors: blockToolDoors,
  run: async (engine, caller, params) =>
    answered(await toolsFor(engine, caller).redo(caller, params, { onlyOwn: caller.type === 'model' })),
});

const blockRead = defineOperation({
  name: 'block.read',
  summary:
    'Reads a block. Each line is prefixed with its number, counted from 0, and a tab; these are not part of the text. Pass the numbers to block.edit, and the version as base_version.',
  params: schemas.readParams,
  result: schemas.readResult,
  refusals: ['block-not-found', 'version-not-found', 'line-out-of-range'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).read(params)),
});

const blockSearch = defineOperation({
  name: 'block.search',
  summary:
    'Finds lines in one block and returns them with the lines around them and their numbers for block.edit. If there are no matches and the result is not truncated, the block has none.',
  params: schemas.searchParams,
  result: schemas.searchResult,
  refusals: ['block-not-found', 'invalid-regex', 'regex-too-large'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).search(params)),
});

const blockList = defineOperation({
  name: 'block.list',
  summary:
    'Lists the blocks that come after a block, node or root, with a summary of each. Without parent_id, lists the first message of each branch of every conversation.',
  params: schemas.listParams,
  result: schemas.listResult,
  refusals: ['block-not-found'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).list(params)),
});

const blockHistory = defineOperation({
  name: 'block.history',
  summary:
    'Lists the versions of a block, oldest first: who made each, when, and how much it changed. Read one with block.read; compare two with block.diff.',
  params: schemas.historyParams,
  result: schemas.historyResult,
  refusals: ['block-not-found'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).history(params)),
});

const blockDiff = defineOperation({
  name: 'block.diff',
  summary: 'Compares two versions of a block, as a unified diff.',
  params: schemas.diffParams,
  result: schemas.diffResult,
  refusals: ['block-not-found', 'version-not-found'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).diff(params)),
});

const blockSync = defineOperation({
  name: 'block.sync',
  summary:
    'For clients that keep copies: returns what changed since the versions they know, which blocks are new, and which are gone.',
  params: schemas.syncParams,
  result: schemas.syncResult,
  refusals: ['block-not-found'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).sync(params)),
});

const kernelSearch = defineOperation({
  name: 'kernel.search',
  summary:
    'Finds lines in the blocks of all conversations, best and newest first, with their numbers for block.edit. No matches means that nothing matches only if complete is true; otherwise continue by passing next as from, or narrow the search with kinds, roots or path_prefix.',
  params: schemas.kernelSearchParams,
  result: schemas.kernelSearchResult,
  refusals: ['invalid-regex', 'regex-too-large'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, { project, source, model, ...params }) => {
    const roots = await narrowedRoots(engine, caller, { project, source, model }, params.roots);
    const narrowed = roots === undefined ? params : { ...params, roots };
    return answered(await toolsFor(engine, caller).searchAll(narrowed, caller.signal));
  },
});

const cursorSet = defineOperation({
  name: 'cursor.set',
  summary: 'Shows your cursor position in a text to the other agents that have it open. Nothing is stored.',
  params: schemas.cursorParams,
  result: schemas.cursorResult,
  refusals: ['block-not-found', 'not-text'],
  effect: 'reads',
  doors: blockToolDoors,
  run: async (engine, caller, params) => answered(await toolsFor(engine, caller).setCursor(caller.agent, params)),
});

const replaceBlock = defineOperation({
  name: 'block.replace',
  summary: 'Replaces the content of a block of any type. To change lines of a text, use block.edit.',
  params: () =>
    z.strictObject({
      block_id: blockId,
      content: z.union([z.string(), messageBlock]).describe('A text, or a complete block of the same type.'),
      expected_text: z
        .string()
        .exactOptional()
        .describe(
          'Only with a text: the current text of the block. The edit is refused if the block says anything else.',
        ),
    }),
  result: () => z.strictObject({ block: z.string() }),
  refusals: [
    'block-not-found',
    'turn-live',
    'bad-status',
    'not-text',
    'empty-message',
    'results-need-calls',
    'text-mismatch',
  ],
  effect: 'changes',
  run: async (engine, caller, { block_id: block, content, expected_text: expected }) => {
    const guard = expected === undefined ? {} : { expected };
    if (typeof content === 'string')
      return engine.forest.editBlock(caller, rootOfId(block), { block, text: content, ...guard });
    if (expected !== undefined) return refuseValue(['expected_text'], 'goes only with a text as content');
    return engine.forest.editBlock(caller, rootOfId(block), { block, content });
  },
});

const getDocument = defineOperation({
  name: 'document.get',
  summary:
    "Returns a text for an editor that keeps its own document, along with Loom's current document of it, if there is one.",
  params: () => z.strictObject({ block_id: blockId }),
  result: () =>
    z.strictObject({
      version: z.int(),
      text: z.string(),
      update: z
        .string()
        .exactOptional()
        .describe('The whole document, in base64. If absent, the text itself is the seed.'),
    }),
  refusals: ['block-not-found', 'not-text'],
  effect: 'reads',
  run: async (engine, caller, { block_id }) => answered(await toolsFor(engine, caller).document(block_id)),
});

const updateDocument = defineOperation({
  name: 'document.update',
  summary: 'Applies an update from an editor that keeps its own document of a text.',
  params: () =>
    z.strictObject({
      block_id: blockId,
      client: z.int().describe('The id that client.add gave to the editor.'),
      seed: z.int().nonnegative().describe('The version whose text the document started from.'),
      burst: z.int().nonnegative().describe('Updates in the same burst are undone together.'),
      update: z.base64().describe('The update, in base64.'),
    }),
  result: schemas.versionResult,
  refusals: [
    'block-not-found',
    'not-text',
    'turn-live',
    'bad-status',
    'unknown-client',
    'text-replaced',
    'empty-message',
  ],
  effect: 'changes',
  run: async (engine, caller, { update, ...params }) =>
    answered(await toolsFor(engine, caller).update(caller, { ...params, update: fromBase64(update) })),
});

export const blockOperations = [
  blockCreate,
  blockStatus,
  blockAppend,
  blockEdit,
  blockSplice,
  blockApplyPatch,
  blockUndo,
  blockRedo,
  blockRead,
  blockSearch,
  blockList,
  blockHistory,
  blockDiff,
  blockSync,
  kernelSearch,
  cursorSet,
  replaceBlock,
  getDocument,
  updateDocument,
] as const;
