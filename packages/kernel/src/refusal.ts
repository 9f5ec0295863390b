import { z } from 'zod';
import { problemsOf } from '@loom/blocks';
import type { Cursor } from './cursor.ts';
import { nextStepSchema } from './next-step.ts';
import type { NextStep } from './next-step.ts';
import { once } from './once.ts';

const id = z.string();
const ids = z.array(z.string());
const count = z.int().nonnegative();
const status = z.enum(['pending', 'running', 'done', 'error']);

function because<Reason extends string, Fields extends z.core.$ZodLooseShape>(reason: Reason, fields: Fields) {
  return z.object({ reason: z.literal(reason), ...fields, next: nextStepSchema().exactOptional() });
}

/** The problem with a value, and its place in the parameters. The only words of the kernel: they describe a value. */
const invalidParams = once(() =>
  because('invalid-params', {
    problems: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), problem: z.string() })),
  }),
);
/** Lines are counted from 0, ends are exclusive. */
const lineOutOfRange = once(() => because('line-out-of-range', { line: count, line_count: count }));
const textMismatch = once(() =>
  because('text-mismatch', {
    expected: z.string(),
    actual: z.string(),
    start_line: count,
    end_line: count,
  }),
);
/** The lines that an edit of an older version addresses were changed since. */
const versionMismatch = once(() => because('version-mismatch', { start_line: count, end_line: count }));

/** The reason that something was not done, as data: nothing of it was done. Each door has its own words for it. */
export const refusalSchema = once(() =>
  z.discriminatedUnion('reason', [
    // The thing that was asked for does not exist.
    because('root-not-found', { root: id }),
    because('root-deleted', { root: id }),
    because('node-not-found', { node: id }),
    /** `deleted` is the node itself, or one above it. */
    because('node-deleted', { node: id, deleted: id }),
    /** An id, or the end of one, that means each of several. */
    because('ambiguous-id', { id, ids }),
    /** `blocks`: those of the message that was taken for a block. */
    because('block-not-found', { block: id, blocks: ids.exactOptional() }),
    because('version-not-found', { block: id, version: z.int() }),
    because('turn-not-found', { turn: id }),
    because('call-not-found', { node: id }),
    because('job-not-found', { job: id }),
    because('process-not-found', { process: id }),
    /** `nearest`: the name of a prompt that may have been meant. */
    because('prompt-not-found', { prompt: z.string(), nearest: z.array(z.string()) }),
    /** `answers`: what models have said to it. */
    because('not-by-model', { node: id, answers: ids }),
    because('unknown-provider', { provider: z.string(), providers: z.array(z.string()) }),
    /** The settings of the data folder cannot be read or written. */
    because('settings-failed', { problem: z.string() }),
    /** A login with a provider could not be begun or completed. */
    because('login-failed', { problem: z.string() }),
    because('unknown-operation', { operation: z.string(), nearest: z.array(z.string()) }),
    /** `nearest`: the keys of a conversation's config that may have been meant. */
    because('unknown-config-key', { key: z.string(), nearest: z.array(z.string()), known: z.array(z.string()) }),

    // The request itself.
    invalidParams(),
    /** The id of the request was used before, for something else. */
    because('request-reused', { id }),
    /** `client`: the id of an editing client that this agent was not given. */
    because('unknown-client', { client: z.int(), agent: z.string() }),
    /** The role or right that the caller lacks; `roots`: the conversations that it may not use. */
    because('not-permitted', {
      needs: z.enum(['person', 'reader', 'appender', 'writer', 'owner', 'door', 'roots', 'all-roots']),
      operation: z.string().exactOptional(),
      roots: ids.exactOptional(),
    }),

    // Messages that would be wrong.
    /** `node` would no longer say anything; `message`: the index of the given message that says nothing. */
    because('empty-message', { node: id.exactOptional(), message: count.exactOptional() }),
    /** A result for a call that is not above it. */
    because('orphan-result', { call: id, message: count.exactOptional() }),
    /** `results` would lose the calls that they answer. */
    because('results-need-calls', {
      results: ids,
      by: z.enum(['moving', 'copying', 'removing', 'replacing']),
      node: id,
    }),
    because('cannot-merge', {
      node: id,
      because: z.enum(['first-message', 'not-only-text', 'context-start', 'half-hidden']),
    }),

    // Texts.
    because('not-text', { block: id, kind: z.string() }),
    lineOutOfRange(),
    textMismatch(),
    versionMismatch(),
    /** One operation of several cannot be applied, so none was. */
    because('batch-failed', {
      op_index: count,
      operations: count,
      refusal: z.discriminatedUnion('reason', [lineOutOfRange(), textMismatch(), versionMismatch(), invalidParams()]),
    }),
    because('patch-failed', { errors: z.array(z.string()) }),
    /** The text is no longer the one that an editing client began with. */
    because('text-replaced', { block: id }),
    because('invalid-regex', { problem: z.string() }),
    because('regex-too-large', {}),

    // Something under way, or something that has happened, stands against it.
    /** The block is not finished and has to be, or the other way round, or cannot get there from its status. */
    because('bad-status', {
      block: id,
      status,
      wanted: z.enum(['finished', 'unfinished', ...status.options]),
    }),
    because('bookmarked', { nodes: ids }),
    /** `ids` changed since; `what` is how they are in the way of going back. */
    because('changed-since', { ids, what: z.enum(['changed', 'gone', 'no-place']) }),
    /** `change`: one that was named. `block`: only this text was looked at. `version`: the edit that made it was named. */
    because('nothing-to-undo', {
      which: z.enum(['undo', 'redo']),
      change: z.int().exactOptional(),
      block: id.exactOptional(),
      version: z.int().exactOptional(),
    }),
    /** The node has no message of a user at or above it. */
    because('nothing-to-answer', { node: id }),
    /** The model would begin another answer instead of going on with this one. */
    because('takes-no-prefix', { node: id, provider: z.string(), model: z.string() }),
    /** Turns that are running: they write the node or above or inside of it, or they answer it. */
    because('turn-live', { turns: ids, node: id, where: z.enum(['node', 'above', 'inside', 'answering']) }),
    because('turn-ended', { turn: id, end: z.string() }),
    because('not-waiting', { node: id, state: z.string().exactOptional() }),
    because('already-decided', { node: id }),
    /** A message that waited for a turn was said or given back already. */
    because('message-taken', { id }),
    /** The call no longer has the arguments that the decision is about. */
    because('call-changed', { node: id }),
    because('lease-lost', { turn: id }),
  ]),
);

export type Refusal = z.infer<ReturnType<typeof refusalSchema>>;
export type RefusalReason = Refusal['reason'];
/** The refusal with one reason. */
export type RefusalOf<Reason extends RefusalReason> = Extract<Refusal, { reason: Reason }>;

/** A refusal on its way to the caller. */
export interface Refused {
  ok: false;
  refusal: Refusal;
}

/** The outcome of an operation. `cursor`: the place in the log that the answer belongs to, where there is one. */
export type Outcome<T> = { ok: true; value: T; cursor?: Cursor } | Refused;

/** The log's answer to a writer: it always has a place. */
export type Written<T> = { ok: true; value: T; cursor: Cursor } | Refused;

/** Refuses, with what to do next where the reason says that. */
export function refuse(refusal: Refusal): Refused {
  const next = refusal.next ?? nextStepOf(refusal);
  return { ok: false, refusal: next === undefined ? refusal : { ...refusal, next } };
}

function nextStepOf(refusal: Refusal): NextStep | undefined {
  switch (refusal.reason) {
    case 'root-not-found':
      return { type: 'list-roots' };
    case 'root-deleted':
      return { type: 'restore', id: refusal.root };
    case 'node-not-found':
      return { type: 'list-nodes' };
    case 'node-deleted':
      return { type: 'restore', id: refusal.deleted };
    case 'ambiguous-id':
      return { type: 'choose', ids: refusal.ids };
    case 'block-not-found':
      return refusal.blocks === undefined ? { type: 'list-blocks' } : { type: 'choose', ids: refusal.blocks };
    case 'version-not-found':
      return { type: 'list-versions', block: refusal.block };
    case 'not-by-model':
      return refusal.answers.length === 0 ? undefined : { type: 'choose', ids: refusal.answers };
    case 'unknown-provider':
      return { type: 'choose', ids: refusal.providers };
    case 'unknown-operation':
    case 'unknown-config-key':
      return refusal.nearest.length === 0 ? undefined : { type: 'choose', ids: refusal.nearest };
    case 'unknown-client':
      return { type: 'add-client' };
    case 'empty-message':
      return refusal.node === undefined ? undefined : { type: 'remove', node: refusal.node };
    case 'text-replaced':
      return { type: 'read', block: refusal.block };
    case 'bad-status':
      if (refusal.wanted === 'finished') return { type: 'finish', block: refusal.block };
      return refusal.wanted === 'unfinished' ? { type: 'edit', block: refusal.block } : undefined;
    case 'bookmarked':
      return { type: 'remove-bookmarks', nodes: refusal.nodes };
    case 'takes-no-prefix':
      return { type: 'retry', node: refusal.node };
    case 'turn-live':
      return { type: 'stop-turns', turns: refusal.turns };
    case 'lease-lost':
      return { type: 'ask-again' };
    default:
      return undefined;
  }
}

/** Refuses parameters for what their schema found wrong. `at`: where in the call they are. */
export function refuseParams(error: z.ZodError, at: readonly string[] = []): Refused {
  const problems = problemsOf(error)
    .slice(0, mostProblems)
    .map(({ path, problem }) => ({ path: [...at, ...path], problem }));
  return refuse({ reason: 'invalid-params', problems });
}

/** The most problems to report: more help no caller. */
const mostProblems = 50;

/** Refuses one value; `problem` is the end of a sentence about it. */
export function refuseValue(path: (string | number)[], problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path, problem }] });
}
