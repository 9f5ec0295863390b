import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import type { LoomEngine } from './calling/engine.ts';
import { summarizeRoot } from '../forest/root-head.ts';
import { workFactsOf } from '../forest/projects.ts';
import { rootPlace } from '../forest/root-pages.ts';
import { rootValue } from '../forest/values.ts';
import { decideConfigureRoot } from '../forest/editing/marks.ts';
import { rootConfig } from '../op.ts';
import type { RootConfig } from '../op.ts';
import { readJson } from '../read-json.ts';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { givenConfig, refuseUnknownKeys } from '../root-settings.ts';
import type { RootState } from '../state/root-state.ts';
import { suggestedTitle, usualTime } from '../turn/titling/titles.ts';
import { forestDoors } from './doors.ts';
import { rootId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import type { Caller } from './operation.ts';
import { settle } from './listing/catalog.ts';
import { configureProject, inheritConfig } from './listing/project-settings.ts';
import { listedRow } from './listing/listed-row.ts';
import { filterParams, rootCounts, RootFilters, rootOrders, sortRows } from './listing/root-filter.ts';
import { defaultLimit, pageBehind, pageOf, pageParams } from './page.ts';
import { suffices } from './permission.ts';
import { rootAnswer, rootResult } from '../forest/listed-root.ts';
import type { ListedRoot } from '../forest/listed-root.ts';

const config = givenConfig
  .exactOptional()
  .describe("The config of the conversation. The caller's own keys go under custom. Default: empty.");

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
    engine.forest.createRoot(caller, await inheritConfig(engine, params.config)),
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
  summary:
    'Lists conversations with their titles, the most recently changed first. Filters narrow the list; counts says how many conversations each value of a filter would leave.',
  params: () =>
    z.strictObject({
      ...filterParams,
      order: z.enum(rootOrders).exactOptional().describe('By time, or the most expensive first. Default: newest.'),
      counts: z.boolean().exactOptional().describe('Also count the conversations for each value of a filter.'),
      ids: z
        .boolean()
        .exactOptional()
        .describe('Return the ids of all conversations that the filters let through, and no items.'),
      ...pageParams,
    }),
  result: () =>
    pageOf(rootResult()).extend({
      counts: rootCounts().exactOptional(),
      ids: z.array(z.string()).exactOptional(),
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
  run: async (engine, caller, { after, limit = defaultLimit, order, counts, ids, ...filters }) => {
    const { deleted, archived, tag, children, ...others } = filters;
    const isPlain = Object.keys(others).length === 0 && (order ?? 'newest') === 'newest';
    // Asked for when the list was read: reading finds losses.
    const losses = (): { lost?: { root: string; change: number }[] } => {
      const lost = after === undefined ? lossesFor(engine, caller.roots) : [];
      return lost.length === 0 ? {} : { lost };
    };
    if (!isPlain || counts === true || ids === true) {
      const found = await RootFilters.read(engine, caller, filters);
      const sorted = sortRows(found.matching, order ?? 'newest');
      const counted = counts === true ? { counts: found.counts() } : {};
      if (ids === true)
        return { ok: true, value: { items: [], ids: sorted.map(({ id }) => id), ...counted, ...losses() } };
      const page = pageBehind(sorted, ({ id }) => id, after === undefined ? { limit } : { limit, after });
      return { ok: true, value: { ...page, items: page.items.map(listedRow), ...counted, ...losses() } };
    }
    const place = after === undefined ? undefined : rootPlace.safeParse(readJson(after));
    if (place?.success === false) return refuseValue(['after'], 'must be what an answer gave as next');
    const begin = place === undefined ? {} : { after: place.data };
    const { items, next } = await engine.forest.pageRoots({
      ...(tag === undefined ? {} : { tag }),
      ...(children === undefined ? {} : { children }),
      ...(deleted === undefined ? {} : { deleted }),
      // Deleted conversations are listed with the archived ones: it is the place to look for them.
      archived: archived ?? (deleted === true ? 'with' : 'without'),
      limit,
      among: caller.roots,
      ...begin,
    });
    const rest = next === undefined ? {} : { next: JSON.stringify(next) };
    const listed: ListedRoot[] = [];
    await engine.projects.prepare(items.map(workFactsOf));
    for (const item of items) {
      const settled = await settle(engine, item);
      listed.push(rootAnswer(settled, engine.projects.projectOf(workFactsOf(settled))));
    }
    return { ok: true, value: { items: listed, ...rest, ...losses() } };
  },
});

/** The losses that a caller may know of. */
function lossesFor({ losses }: LoomEngine, roots: Caller['roots']): { root: string; change: number }[] {
  return [...losses.lost]
    .filter(([root]) => roots === undefined || roots.includes(root))
    .map(([root, { seq }]) => ({ root, change: seq }));
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
      project: state.project,
      bookmarks: [...state.bookmarks].map(([node, title]) => ({ node, title })),
      live_turns: [...state.liveTurns],
    }));
    const { project: mark, ...answer } = value;
    const project = await engine.projects.find({ config: answer.config, project: mark });
    return { ok: true, value: { ...answer, ...(project === undefined ? {} : { project }) }, cursor };
  },
});

/** Its config and all, which lists leave out where it is long. */
function wholeAnswer(state: RootState): Omit<ListedRoot, 'config_left_out'> {
  const { config_left_out: _leftOut, ...answer } = rootAnswer(summarizeRoot(state), undefined);
  return { ...answer, config: state.config };
}

const configuredRoot = z.strictObject({ root: z.string(), config: rootConfig });
const configured = z.strictObject({
  root: z.string().exactOptional().describe('The conversation, if one was named.'),
  project: z.string().exactOptional().describe('The project, if one was named.'),
  config: rootConfig,
});

const configureRoot = defineOperation({
  name: 'root.configure',
  summary:
    'Changes the config of a conversation: systemPrompt, the tools its turns may use and, under custom, what callers store. Omitted keys stay as they are; null removes a key. Running turns keep everything but the approval mode. Or changes the settings of a project, which conversations that begin in it inherit.',
  params: () =>
    z
      .strictObject({
        root: rootId.exactOptional().describe('The id of a conversation.'),
        project: z.string().min(1).max(1000).exactOptional().describe('The id of a project, from project.list.'),
        config: plainObject.describe(
          'The keys to change: those of root.create, or model and instructions of a project. null removes a key, whichever it is.',
        ),
      })
      .refine((params) => (params.root === undefined) !== (params.project === undefined), {
        error: 'needs one of root and project',
      }),
  result: () => configured,
  refusals: ['unknown-config-key'],
  effect: 'changes',
  run: async (engine, caller, { root, project, config: changes }) => {
    const denied = refuseSettings(caller, 'root.configure', Object.keys(changes));
    if (denied !== undefined) return denied;
    if (root !== undefined)
      return engine.forest.change(caller, root, configuredRoot, (state) => decideConfigureRoot(state, changes));
    const written = await configureProject(engine, caller, project ?? '', changes);
    return written.ok ? { ok: true, value: { project: project ?? '', config: written.value } } : written;
  },
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
        .max(usualTime)
        .exactOptional()
        .describe(`The time limit for the model, in milliseconds. Default: ${usualTime}.`),
    }),
  result: () => suggestedTitle,
  refusals: ['unknown-provider', 'nothing-to-answer'],
  effect: 'runs',
  run: (engine, caller, { root, time_limit_ms: timeLimit = usualTime, ...model }) =>
    engine.jobs.run(
      { kind: 'root.suggest_title', agent: caller.agent, root, words: `${model.model} looks for a title` },
      ({ signal }) => engine.titles.suggest(caller, root, { ...model, timeLimit, signal }),
    ),
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
  configureRoot,
  suggestTitle,
  addClient,
] as const;
