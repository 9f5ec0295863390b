import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { LoomEngine } from '../engine.ts';
import { summarizeRoot } from '../forest/root-head.ts';
import type { RootSummary } from '../forest/root-head.ts';
import { rootPlace } from '../forest/root-pages.ts';
import { rootValue } from '../forest/values.ts';
import { decideConfigureRoot } from '../forest/editing/marks.ts';
import { rootConfig } from '../op.ts';
import type { RootConfig } from '../op.ts';
import { readJson } from '../read-json.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import { isAboutOneLog } from '../store.ts';
import { suggestedTitle } from '../turn/titles.ts';
import { forestDoors } from './doors.ts';
import { rootId } from './ids.ts';
import { defineOperation } from './operation.ts';
import type { Caller } from './operation.ts';
import { defaultLimit, pageOf, pageParams } from './page.ts';
import { suffices } from './permission.ts';
import { rootAnswer, rootResult } from './results.ts';
import type { ListedRoot } from './results.ts';

const config = rootConfig
  .exactOptional()
  .describe('What it is made with: systemPrompt, and whatever else callers keep. Default: nothing.');

const longestTitleTime = 30_000;

/** Where and how freely tools work in a conversation is an owner's to say: what others begin has the usual settings. */
const ownersKeys = ['directory', 'tools', 'approval_mode'];

function refuseSettings({ role }: Caller, operation: string, keys: readonly string[]): Refused | undefined {
  if (suffices(role, 'owner') || !ownersKeys.some((key) => keys.includes(key))) return undefined;
  return refuse({ reason: 'not-permitted', needs: 'owner', operation });
}

function keysOf(given: RootConfig = {}): string[] {
  return Object.keys(given);
}

const createRoot = defineOperation({
  name: 'root.create',
  summary: 'Begins a conversation and returns its id. Its first message is added with node.append.',
  params: z.strictObject({ config }),
  result: rootValue,
  effect: 'changes',
  role: 'appender',
  doors: forestDoors,
  run: async (engine, caller, params) =>
    refuseSettings(caller, 'root.create', keysOf(params.config)) ?? engine.forest.createRoot(caller, params.config),
});

const findOrCreateRoot = defineOperation({
  name: 'root.find_or_create',
  summary: 'Finds the conversation that was made with a config, or begins it. Of several calls at once one begins it.',
  params: z.strictObject({ config }),
  result: rootValue,
  effect: 'changes',
  role: 'appender',
  run: async (engine, caller, params) =>
    refuseSettings(caller, 'root.find_or_create', keysOf(params.config)) ??
    engine.forest.getOrCreateRoot(caller, params.config),
});

const listRoots = defineOperation({
  name: 'root.list',
  summary: 'Lists conversations with their titles, the one that was changed last first.',
  params: z.strictObject({
    deleted: z.boolean().exactOptional().describe('Those that were deleted instead. Default: false.'),
    tag: z.string().exactOptional().describe('Only those that have this tag, as tag.list shows it.'),
    children: z
      .boolean()
      .exactOptional()
      .describe('Whether conversations of agents that others have sent out are listed, too. Default: true.'),
    ...pageParams,
  }),
  result: pageOf(rootResult).extend({
    lost: z
      .array(
        z.strictObject({
          root: z.string().describe('A conversation, which may not be listed any more, or "forest" for the list.'),
          change: z.int().describe('The last change that had been acknowledged.'),
        }),
      )
      .exactOptional()
      .describe(
        'With the first page: logs of which something acknowledged is lost, until an owner calls data.acknowledge_losses.',
      ),
  }),
  effect: 'reads',
  doors: forestDoors,
  run: async (engine, { roots }, { deleted = false, tag, children = true, limit = defaultLimit, after }) => {
    const place = after === undefined ? undefined : rootPlace.safeParse(readJson(after));
    if (place?.success === false) return refuseValue(['after'], 'must be what an answer gave as next');
    const begin = place === undefined ? {} : { after: place.data };
    const { items, next } = await engine.forest.pageRoots({ deleted, tag, children, limit, among: roots, ...begin });
    const rest = next === undefined ? {} : { next: JSON.stringify(next) };
    const settled: RootSummary[] = [];
    for (const item of items) settled.push(await settle(engine, item));
    const lost = after === undefined ? lossesFor(engine, roots) : [];
    const losses = lost.length === 0 ? {} : { lost };
    return { ok: true, value: { items: settled.map(rootAnswer), ...rest, ...losses } };
  },
});

/** The losses that a caller may know of. */
function lossesFor({ losses }: LoomEngine, roots: Caller['roots']): { root: string; change: number }[] {
  return [...losses.lost]
    .filter(([root]) => roots === undefined || roots.includes(root))
    .map(([root, { seq }]) => ({ root, change: seq }));
}

/** A head says what ran when it was written. A process that was ended meanwhile runs nothing any more. */
async function settle(engine: LoomEngine, item: RootSummary): Promise<RootSummary> {
  if (item.running.length === 0) return item;
  try {
    const opened = await engine.open(item.id);
    return opened.ok ? summarizeRoot(opened.value) : item;
  } catch (error) {
    if (isAboutOneLog(error)) return item;
    throw error;
  }
}

const getRoot = defineOperation({
  name: 'root.get',
  summary: 'A conversation as a whole: its title, tags and config, when it was changed, and its bookmarks.',
  params: z.strictObject({ root: rootId }),
  result: rootResult.omit({ config_left_out: true }).extend({
    bookmarks: z.array(z.strictObject({ node: z.string(), title: z.string() })),
    live_turns: z.array(z.string()).describe('The turns that are running.'),
  }),
  effect: 'reads',
  doors: forestDoors,
  run: async (engine, _caller, { root }) => {
    const { cursor, value } = await engine.forest.log(root).read((state) => ({
      ...wholeAnswer(state),
      bookmarks: [...state.bookmarks].map(([node, title]) => ({ node, title })),
      live_turns: [...state.liveTurns],
    }));
    return { ok: true, value, cursor };
  },
});

/** Its config and all, which lists leave out where it is long. */
function wholeAnswer(state: RootState): Omit<ListedRoot, 'config_left_out'> {
  const { config_left_out: _leftOut, ...answer } = rootAnswer(summarizeRoot(state));
  return { ...answer, config: state.config };
}

const markRoot = defineOperation({
  name: 'root.mark',
  summary: 'Gives a conversation a title or tags. What is left out stays; null takes it away.',
  params: z.strictObject({
    root: rootId,
    title: z.string().nullable().exactOptional().describe('What to call it.'),
    tags: z.array(z.string()).nullable().exactOptional().describe('Words to find it by, in the place of those before.'),
  }),
  result: rootValue,
  effect: 'changes',
  run: (engine, caller, { root, ...marks }) => engine.forest.markRoot(caller, root, marks),
});

const configuredRoot = z.strictObject({ root: z.string(), config: rootConfig });

const configureRoot = defineOperation({
  name: 'root.configure',
  summary:
    'Changes the config of a conversation: systemPrompt, the tools that its turns may use, and whatever else callers keep. What is left out stays; null takes it away. Turns that run go on as they began.',
  params: z.strictObject({
    root: rootId,
    config: plainObject.describe('What changes, each key for itself, such as systemPrompt.'),
  }),
  result: configuredRoot,
  effect: 'changes',
  run: async (engine, caller, { root, config: changes }) =>
    refuseSettings(caller, 'root.configure', Object.keys(changes)) ??
    engine.forest.change(caller, root, configuredRoot, (state) => decideConfigureRoot(state, changes)),
});

const suggestTitle = defineOperation({
  name: 'root.suggest_title',
  summary:
    'Lets a model find a title for a conversation that has none, from its first message and the answer to it. Answers when that is over; a title that it was given meanwhile stays.',
  params: z.strictObject({
    root: rootId,
    provider: z.string().describe('The id of a provider.'),
    model: z.string().min(1).describe('The name of a model of that provider; a cheap one will do.'),
    time_limit_ms: z
      .int()
      .min(1)
      .max(longestTitleTime)
      .exactOptional()
      .describe(`How long the model may take, in milliseconds. Default: ${longestTitleTime}.`),
  }),
  result: suggestedTitle,
  refusals: ['unknown-provider', 'nothing-to-answer'],
  effect: 'runs',
  run: (engine, caller, { root, time_limit_ms: timeLimit = longestTitleTime, ...model }) =>
    engine.jobs.run(
      { kind: 'root.suggest_title', agent: caller.agent, root, words: `${model.model} looks for a title` },
      ({ signal }) => engine.titles.suggest(caller, root, { ...model, timeLimit, signal }),
    ),
});

const removeRoot = defineOperation({
  name: 'root.remove',
  summary: 'Deletes a conversation. It can be restored; bookmarks in it protect it.',
  params: z.strictObject({ root: rootId }),
  result: rootValue,
  refusals: ['bookmarked', 'turn-live'],
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.removeRoot(caller, root),
});

const restoreRoot = defineOperation({
  name: 'root.restore',
  summary: 'Brings a deleted conversation back.',
  params: z.strictObject({ root: rootId }),
  result: rootValue,
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.restoreRoot(caller, root),
});

const addClient = defineOperation({
  name: 'client.add',
  summary: 'Gives an editor that keeps a document of its own an id under which it may send document.update.',
  params: z.strictObject({ root: rootId }),
  result: z.strictObject({ client: z.int() }),
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.addClient(caller, root),
});

export const rootOperations = [
  createRoot,
  findOrCreateRoot,
  listRoots,
  getRoot,
  markRoot,
  configureRoot,
  suggestTitle,
  removeRoot,
  restoreRoot,
  addClient,
] as const;
