import { z } from 'zod';
import { rootId } from '../../forest/ids.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import { isAboutOneLog } from '../../store.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { boardOrder, boardRow, boardRows, longestSilence, questionOf } from './board-rows.ts';
import type { BoardRow } from './board-rows.ts';
import { eachRoot } from './each-root.ts';
import { senderOf } from '../../forest/sender.ts';

const listBoard = defineOperation({
  name: 'board.list',
  summary:
    'Lists the turns that wait for a person or run, in all conversations, oldest first, and then those that ended lately, newest first: one for each conversation, of models, agents and followed sessions alike.',
  params: () =>
    z.strictObject({
      since: z.iso
        .datetime()
        .exactOptional()
        .describe('Also turns that ended at this time, ISO 8601 in UTC, or later. Default: none.'),
      roots: z
        .array(rootId)
        .max(200)
        .exactOptional()
        .describe('Only these conversations, such as those that the list feed says have changed. Default: all.'),
      question: z
        .string()
        .exactOptional()
        .describe(
          'Only the conversations of this question, from question.ask, whenever their turns ended. Default: all.',
        ),
      ...pageParams,
    }),
  result: () => pageOf(boardRow()),
  effect: 'reads',
  run: async (engine, caller, { since, roots, question, ...page }) => {
    const usual = question === undefined ? Number.POSITIVE_INFINITY : 0;
    const begin = since === undefined ? usual : Date.parse(since);
    const found: BoardRow[] = [];
    for await (const summary of summaries(engine, caller, roots)) {
      if (question !== undefined && questionOf(summary.config) !== question) continue;
      if (isAsked(summary, begin, engine.now())) found.push(...(await rowsOf(engine, summary, begin)));
    }
    return { ok: true, value: pageBehind(found.sort(boardOrder), ({ id }) => id, page) };
  },
});

async function* summaries(
  engine: LoomEngine,
  caller: Caller,
  roots: readonly string[] | undefined,
): AsyncGenerator<RootSummary> {
  if (roots === undefined) {
    yield* eachRoot(engine, caller);
    return;
  }
  for (const root of new Set(roots)) {
    const summary = await engine.forest.summary(root);
    if (summary !== undefined && !summary.deleted) yield summary;
  }
}

/** The head of a conversation tells if it has to be opened. The work of a sub-agent is part of the turn that sent it out. */
function isAsked({ needs, running, config, archived, updated }: RootSummary, since: number, now: number): boolean {
  if (needs.length > 0) return true;
  if (senderOf(config) !== undefined) return false;
  if (running.length > 0) return true;
  const begin = config['origin'] === undefined ? since : Math.min(since, now - longestSilence);
  return archived !== true && updated + headAge >= begin;
}

/** The time by which a head may be older than its conversation, in milliseconds. */
const headAge = 60_000;

async function rowsOf(engine: LoomEngine, summary: RootSummary, since: number): Promise<BoardRow[]> {
  try {
    const opened = await engine.open(summary.id);
    return opened.ok ? boardRows(opened.value, summary, since, engine.now()) : [];
  } catch (error) {
    if (isAboutOneLog(error)) return [];
    throw error;
  }
}

export const boardOperations = [listBoard] as const;
