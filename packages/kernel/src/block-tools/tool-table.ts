import { z } from 'zod';
import { formatProblem, problemsOf } from '@loom/blocks';
import { refuseMalformed } from '../log.ts';
import type { Request } from '../log.ts';
import { refuseParams } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { BlockTools } from './block-tools.ts';
import * as schemas from './schemas.ts';

/** A block tool as the doors offer it: HTTP, MCP and models all take the same parameters and get the same answers. */
export interface BlockTool {
  readonly name: string;
  readonly description: string;
  /** Whether it changes anything that is kept. */
  readonly writes: boolean;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
  /** Checks the parameters and does it. */
  run(tools: BlockTools, request: Request, params: unknown): Promise<unknown>;
}

/** The name of a tool where dots are not allowed: for MCP and for models. */
export function flatName(name: string): string {
  return name.replaceAll('.', '_');
}

/** The parameters of a tool as a JSON schema. */
export function parametersOf(tool: BlockTool): Record<string, unknown> {
  // Metadata is any JSON object, which its own check says better than a schema can; the schema has its type.
  return z.toJSONSchema(tool.params, { io: 'input', unrepresentable: 'any' });
}

/** All block tools that answer once. `block.subscribe` answers again and again and is `subscribeToBlocks`. */
export const blockTools: readonly BlockTool[] = [
  define(
    'block.create',
    'Adds a block to a conversation and returns its id. It goes into the message of parent_id while that one is being written by the same role, else into a new message below it. With content the block is done at once; without it is pending: grow it with block.append, then end it with block.status.',
    true,
    {
      params: schemas.createParams,
      result: schemas.createResult,
      run: (tools, request, params) => tools.create(request, params),
    },
  ),
  define(
    'block.status',
    'Ends a block that you have been writing, with done or error, or marks it as running. Blocks that were created with content are done already.',
    true,
    {
      params: schemas.statusParams,
      result: schemas.versionResult,
      run: (tools, request, params) => tools.status(request, params),
    },
  ),
  define(
    'block.append',
    'Adds text to the end of a block that is pending or running. The first append makes it running. To change a block that is done use block.edit.',
    true,
    {
      params: schemas.appendParams,
      result: schemas.versionResult,
      run: (tools, request, params) => tools.append(request, params),
    },
  ),
  define(
    'block.edit',
    'Inserts, deletes and replaces whole lines of a text: all operations of a call, or none. Read the block first, give the line numbers that block.read shows, and say in expected_text what you mean to overwrite. One call is undone as one.',
    true,
    {
      params: schemas.editParams,
      result: schemas.versionResult,
      run: (tools, request, params) => tools.edit(request, params),
    },
  ),
  define(
    'block.splice',
    'Replaces bytes of a text, for programs that know exact offsets. To edit what you have read use block.edit.',
    true,
    {
      params: schemas.spliceParams,
      result: schemas.versionResult,
      run: (tools, request, params) => tools.splice(request, params),
    },
  ),
  define(
    'block.apply_patch',
    'Applies a unified diff to a text, exactly or where its context is found, else not at all. Returns success with the new version, or errors that say which hunk does not fit.',
    true,
    {
      params: schemas.patchParams,
      result: schemas.patchResult,
      run: (tools, request, params) => tools.applyPatch(request, params),
    },
  ),
  define('block.undo', 'Takes back your last edit of a text, one call at a time. What others wrote stays.', true, {
    params: schemas.undoParams,
    result: schemas.versionResult,
    run: (tools, request, params) => tools.undo(request, params),
  }),
  define(
    'block.redo',
    'Brings back what you took back last with block.undo, unless you have edited the text since.',
    true,
    {
      params: schemas.undoParams,
      result: schemas.versionResult,
      run: (tools, request, params) => tools.redo(request, params),
    },
  ),
  define(
    'block.read',
    'Reads a block. Each line begins with its number, counted from 0, and a tab, which are not part of the text; block.edit takes these numbers, and the version as base_version.',
    false,
    {
      params: schemas.readParams,
      result: schemas.readResult,
      run: (tools, _request, params) => tools.read(params),
    },
  ),
  define(
    'block.search',
    'Finds lines of one block, with their numbers for block.edit and the lines around them. An answer without matches that is not truncated means that there are none.',
    false,
    {
      params: schemas.searchParams,
      result: schemas.searchResult,
      run: (tools, _request, params) => tools.search(params),
    },
  ),
  define(
    'block.list',
    'Lists the blocks that come after a block, node or root, with a summary of each. Without parent_id it lists the first message of each branch of every conversation.',
    false,
    {
      params: schemas.listParams,
      result: schemas.listResult,
      run: (tools, _request, params) => tools.list(params),
    },
  ),
  define(
    'block.history',
    'Lists the versions of a block, the oldest first: who made each, when, and how much it changed. Read one with block.read, compare two with block.diff.',
    false,
    {
      params: schemas.historyParams,
      result: schemas.historyResult,
      run: (tools, _request, params) => tools.history(params),
    },
  ),
  define('block.diff', 'Shows what differs between two versions of a block, as a unified diff.', false, {
    params: schemas.diffParams,
    result: schemas.diffResult,
    run: (tools, _request, params) => tools.diff(params),
  }),
  define(
    'block.sync',
    'For clients that keep copies: returns what changed since the versions that you know, which blocks are new, and which are gone.',
    false,
    {
      params: schemas.syncParams,
      result: schemas.syncResult,
      run: (tools, _request, params) => tools.sync(params),
    },
  ),
  define(
    'kernel.search',
    'Finds lines in the blocks of all conversations, with their numbers for block.edit. If it is truncated there may be more: narrow it by kinds, roots or path_prefix.',
    false,
    {
      params: schemas.kernelSearchParams,
      result: schemas.kernelSearchResult,
      run: (tools, _request, params) => tools.searchAll(params),
    },
  ),
  define('cursor.set', 'Shows where you are in a text to the other agents that have it open. Nothing is kept.', false, {
    params: schemas.cursorParams,
    result: schemas.cursorResult,
    run: (tools, request, params) => tools.setCursor(request.agent, params),
  }),
];

function define<P extends z.ZodObject>(
  name: string,
  description: string,
  writes: boolean,
  {
    params: schema,
    result,
    run,
  }: {
    params: P;
    result: z.ZodType;
    run: (tools: BlockTools, request: Request, params: z.infer<P>) => Promise<unknown>;
  },
): BlockTool {
  return {
    name,
    description,
    writes,
    params: schema,
    result,
    run: async (tools, request, params) => {
      const parsed = schema.safeParse(params);
      if (!parsed.success) return refuseCall(name, parsed.error);
      return refuseMalformed(request) ?? run(tools, request, parsed.data);
    },
  };
}

function refuseCall(name: string, error: z.ZodError): Refused | { success: false; errors: string[] } {
  // A patch is refused in a form of its own.
  if (name === 'block.apply_patch') return { success: false, errors: problemsOf(error).map(formatProblem) };
  return refuseParams(error);
}
