import { z } from 'zod';
import { cleanString } from '@loom/blocks';
import { projectNames } from '../../forest/projects.ts';
import { rootResult } from '../../forest/listed-root.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { refuseLimited } from '../permission.ts';
import { projectConfig, readProjectConfig } from './project-settings.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { rootStates } from './catalog.ts';
import { listedRow } from './listed-row.ts';
import { filterParams, rootCounts, RootFilters, sortRows } from './root-filter.ts';
import type { PlacedRow } from './root-filter.ts';

const projectRow = () =>
  z.strictObject({
    project: z.string().describe('The id, for root.list and root.mark; "" for conversations without a project.'),
    name: z.string().describe('The end of the id, as far as it tells projects apart.'),
    directory: z
      .string()
      .exactOptional()
      .describe('The folder that its conversations worked in last; for a repository of this machine, its top.'),
    conversations: z.int().describe('The number of its conversations that the filters let through.'),
    all: z.int().describe('The number of its conversations that are neither deleted nor archived.'),
    latest: z.string().describe('When one of them was last changed, as ISO 8601 in UTC.'),
    state: z.enum(rootStates).describe('The strongest state of one of them.'),
    items: z.array(rootResult()).exactOptional().describe('Those that were changed last, if `first` asks for some.'),
  });

const listProjects = defineOperation({
  name: 'project.list',
  summary:
    'Lists the projects that conversations belong to, the one with the latest change first, and those without one last: a repository with all its worktrees, or a folder. Takes the filters of root.list.',
  params: () =>
    z.strictObject({
      ...filterParams,
      first: z
        .int()
        .min(0)
        .max(100)
        .exactOptional()
        .describe('Also return so many conversations of each project. Default: 0.'),
      counts: z.boolean().exactOptional().describe('Also count the conversations for each value of a filter.'),
      ...pageParams,
    }),
  result: () => pageOf(projectRow()).extend({ counts: rootCounts().exactOptional() }),
  effect: 'reads',
  run: async (engine, caller, { first = 0, counts, limit, after, ...filters }) => {
    const found = await RootFilters.read(engine, caller, filters);
    const groups = groupsOf(found);
    const page = pageBehind(groups, ({ project }) => project, {
      ...(limit === undefined ? {} : { limit }),
      ...(after === undefined ? {} : { after }),
    });
    const names = projectNames(groups.map(({ project }) => project));
    const items = page.items.map((group) => answerOf(engine, group, names.get(group.project) ?? '', first));
    return { ok: true, value: { ...page, items, ...(counts === true ? { counts: found.counts() } : {}) } };
  },
});

interface Group {
  project: string;
  rows: PlacedRow[];
  all: number;
}

function groupsOf({ matching, rows }: RootFilters): Group[] {
  const all = new Map<string, number>();
  for (const { project, deleted, archived, isChild } of rows) {
    if (!deleted && !archived && !isChild) all.set(project, (all.get(project) ?? 0) + 1);
  }
  const groups = Map.groupBy(sortRows(matching, 'newest'), ({ project }) => project);
  return Array.from(groups, ([project, own]) => ({ project, rows: own, all: all.get(project) ?? 0 })).sort(
    (one, other) => Number(one.project === '') - Number(other.project === ''),
  );
}

function answerOf(engine: LoomEngine, { project, rows, all }: Group, name: string, first: number) {
  const [latest] = rows;
  const states = new Set(rows.map(({ state }) => state));
  const directory = rows.find(({ facts }) => facts.directory !== undefined)?.facts.directory;
  const place = directory === undefined || project === '' ? undefined : engine.projects.topOf(directory);
  return {
    project,
    name,
    ...(place === undefined ? {} : { directory: place }),
    conversations: rows.length,
    all,
    latest: new Date(latest?.updated ?? 0).toISOString(),
    state: rootStates.find((state) => states.has(state)) ?? 'done',
    ...(first === 0 ? {} : { items: rows.slice(0, first).map(listedRow) }),
  };
}

const getProject = defineOperation({
  name: 'project.get',
  summary:
    'Returns a project, by its id or by a folder that it is of, with the settings that conversations which begin in it inherit. root.configure changes them.',
  params: () =>
    z
      .strictObject({
        project: cleanString.min(1).max(1000).exactOptional().describe('The id of a project.'),
        directory: cleanString.min(1).exactOptional().describe('The absolute path of a folder.'),
      })
      .refine((params) => (params.project === undefined) !== (params.directory === undefined), {
        error: 'needs one of project and directory',
      }),
  result: () =>
    z.strictObject({
      project: z.string(),
      name: z.string().describe('The end of the id.'),
      directory: z.string().exactOptional().describe('The folder that its conversations worked in last, or its top.'),
      config: projectConfig,
    }),
  effect: 'reads',
  run: async (engine, caller, { project: named, directory }) => {
    const denied = refuseLimited(caller, 'project.get');
    if (denied !== undefined) return denied;
    const config = directory === undefined ? {} : { directory };
    const project = named ?? (await engine.projects.find({ config })) ?? '';
    const place = directory ?? (await folderOf(engine, caller, project));
    return {
      ok: true,
      value: {
        project,
        name: projectNames([project]).get(project) ?? project,
        ...(place === undefined ? {} : { directory: engine.projects.topOf(place) ?? place }),
        config: await readProjectConfig(engine, project),
      },
    };
  },
});

async function folderOf(engine: LoomEngine, caller: Caller, project: string): Promise<string | undefined> {
  const { matching } = await RootFilters.read(engine, caller, { project, archived: 'with' });
  return sortRows(matching, 'newest').find(({ facts }) => facts.directory !== undefined)?.facts.directory;
}

export const projectOperations = [listProjects, getProject] as const;
