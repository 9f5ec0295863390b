import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { LoomEngine } from './calling/engine.ts';
import { summarizeRoot } from '../forest/root-head.ts';
import type { RootSummary } from '../forest/root-head.ts';
import { archivedChoice, rootPlace } from '../forest/root-pages.ts';
import { rootValue } from '../forest/values.ts';
import { decideConfigureRoot } from '../forest/editing/marks.ts';
import { rootConfig } from '../op.ts';
import type { RootConfig } from '../op.ts';
import { readJson } from '../read-json.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { givenConfig, refuseUnknownKeys } from '../root-settings.ts';
import type { RootState } from '../state/root-state.ts';
import { isAboutOneLog } from '../store.ts';
import { suggestedTitle } from '../turn/titles.ts';
import { forestDoors } from './doors.ts';
import { rootId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import type { Caller } from './operation.ts';
import { defaultLimit, pageOf, pageParams } from './page.ts';
import { suffices } from './permission.ts';
import { rootAnswer, rootResult } from '../forest/listed-root.ts';
import type { ListedRoot } from '../forest/listed-root.ts';

const config = givenConfig
  .exactOptional()
  .describe("The config of the conversation. The caller's own keys go under custom. Default: empty.");

const longestTitleTime = 30_000;

/**
 * Only an owner may say where and how freely tools work in a conversation: conversations that others begin have the usual
 * settings.
 */
const ownersKeys = ['directory', 'tools', 'approval_mode', 'instructions', 'agent_prompt', 'provider_tools'];

function refuseSettings({ role }: Caller, operation: string, keys: readonly string[]): Refused | undefined {
  if (suffices(role, 'owner') || !ownersKeys.some((key) => keys.includes(key))) return undefined;
  return refuse({ reason: 'not-permitted', needs: 'owner', operation });
}

function keysOf(given: RootConfig = {}): string[] {
  return Object.keys(given);
}

const createRoot = defineOperation({
  name: 'root.create',
  summary: 'Starts a conversation and returns its id. Add its first message with node.append.',
  params: () => z.strictObject({ config }),
  result: () => rootValue,
  refusals: ['unknown-config-key'],
  effect: 'changes',
  role: 'appender',
  doors: forestDoors,
  run: async (engine, caller, params) =>
    refuseSettings(caller, 'root.create', keysOf(params.config)) ??
    refuseUnknownKeys(params.config) ??
    engine.forest.createRoot(caller, params.config),
});

const findOrCreateRoot = defineOperation({
  name: 'root.find_or_create',
  summary:
    'Finds the conversation that was created with a config, or starts it. Of several simultaneous calls, only one starts it.',
  params: () => z.strictObject({ config }),
  result: () => rootValue,
  refusals: ['unknown-config-key'],
  effect: 'changes',
  role: 'appender',
  run: async (engine, caller, params) =>
    refuseSettings(caller, 'root.find_or_create', keysOf(params.config)) ??
    // A conversation that was created with other keys, before they were refused, is still found.
    engine.forest.getOrCreateRoot(caller, params.config, () => refuseUnknownKeys(params.config)),
});

const listRoots = defineOperation({
  name: 'root.list',
  summary: 'Lists conversations with their titles, the most recently changed first.',
  params: () =>
    z.strictObject({
      deleted: z.boolean().exactOptional().describe('List deleted conversations instead. Default: false.'),
      tag: z.string().exactOptional().describe('Only conversations with this tag, from tag.list.'),
      children: z
        .boolean()
        .exactOptional()
        .describe('Whether to include the conversations of sub-agents. Default: true.'),
      archived: archivedChoice
        .exactOptional()
        .describe(
          'Whether to list archived conversations with the others, only them, or leave them out. Default: without.',
        ),
      project: z.string().exactOptional().describe('Only conversations of this project, from project.list.'),
      ...pageParams,
    }),
  result: () =>
    pageOf(rootResult()).extend({
      lost: z
        .array(
          z.strictObject({
            root: z.string().describe('A conversation, which may no longer be listed, or "forest" for the list.'),
            change: z.int().describe('The last acknowledged change.'),
          }),
        )
        .exactOptional()
        .describe(
          'Only on the first page: logs that have lost acknowledged changes, until an owner calls data.acknowledge_losses.',
        ),
    }),
  effect: 'reads',
  doors: forestDoors,
  run: async (engine, { roots }, { after, limit = defaultLimit, ...asked }) => {
    const place = after === undefined ? undefined : rootPlace.safeParse(readJson(after));
    if (place?.success === false) return refuseValue(['after'], 'must be what an answer gave as next');
    const begin = place === undefined ? {} : { after: place.data };
    const { items, next } = await engine.forest.pageRoots({
      // Deleted conversations are listed with the archived ones: it is the place to look for them.
      archived: asked.deleted === true ? 'with' : 'without',
      ...asked,
      limit,
      among: roots,
      ...begin,
    });
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

/** A head lists the turns that ran when it was written. A process that has ended meanwhile no longer runs any. */
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
  summary: 'Returns a conversation as a whole: its title, tags, config and bookmarks, and when it was changed.',
  params: () => z.strictObject({ root: rootId }),
  result: () =>
    rootResult()
      .omit({ config_left_out: true })
      .extend({
        bookmarks: z.array(z.strictObject({ node: z.string(), title: z.string() })),
        live_turns: z.array(z.string()).describe('The running turns.'),
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
  summary:
    'Sets the title, tags or project of a conversation, or archives it. Omitted fields stay as they are; null removes a value.',
  params: () =>
    z.strictObject({
      root: rootId,
      title: z.string().nullable().exactOptional().describe('The new title.'),
      tags: z.array(z.string()).nullable().exactOptional().describe('The tags, replacing all earlier ones.'),
      archived: z
        .boolean()
        .exactOptional()
        .describe('Whether lists leave it out. It is still found by its id and by searches.'),
      project: z.string().min(1).nullable().exactOptional().describe('The id of the project that it belongs to.'),
    }),
  result: () => rootValue,
  effect: 'changes',
  run: (engine, caller, { root, ...marks }) => engine.forest.markRoot(caller, root, marks),
});

const configuredRoot = z.strictObject({ root: z.string(), config: rootConfig });

const configureRoot = defineOperation({
  name: 'root.configure',
  summary:
    'Changes the config of a conversation: systemPrompt, the tools its turns may use and, under custom, what callers store. Omitted keys stay as they are; null removes a key. Running turns keep everything but the approval mode.',
  params: () =>
    z.strictObject({
      root: rootId,
      config: plainObject.describe('The keys to change: those of root.create. null removes a key, whichever it is.'),
    }),
  result: () => configuredRoot,
  refusals: ['unknown-config-key'],
  effect: 'changes',
  run: async (engine, caller, { root, config: changes }) =>
    refuseSettings(caller, 'root.configure', Object.keys(changes)) ??
    engine.forest.change(caller, root, configuredRoot, (state) => decideConfigureRoot(state, changes)),
});

const suggestTitle = defineOperation({
  name: 'root.suggest_title',
  summary:
    'Asks a model for a title for an untitled conversation, based on its first message and answer. Returns once that is done; a title set in the meantime is kept.',
  params: () =>
    z.strictObject({
      root: rootId,
      provider: z.string().describe('The id of a provider.'),
      model: z.string().min(1).describe("The name of one of that provider's models; a cheap one will do."),
      time_limit_ms: z
        .int()
        .min(1)
        .max(longestTitleTime)
        .exactOptional()
        .describe(`The time limit for the model, in milliseconds. Default: ${longestTitleTime}.`),
    }),
  result: () => suggestedTitle,
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
  summary: 'Deletes a conversation. It can be restored. A conversation with bookmarks is protected.',
  params: () => z.strictObject({ root: rootId }),
  result: () => rootValue,
  refusals: ['bookmarked', 'turn-live'],
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.removeRoot(caller, root),
});

const restoreRoot = defineOperation({
  name: 'root.restore',
  summary: 'Restores a deleted conversation.',
  params: () => z.strictObject({ root: rootId }),
  result: () => rootValue,
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.restoreRoot(caller, root),
});

const addClient = defineOperation({
  name: 'client.add',
  summary: 'Registers an editor that keeps its own document and returns the client id it needs for document.update.',
  params: () => z.strictObject({ root: rootId }),
  result: () => z.strictObject({ client: z.int() }),
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
