import { blockKind } from '@loom/blocks';
import type { ParamsOf } from '@loom/kernel';
import { patternOf, searchableKinds } from './query.ts';
import type { FilterName, Query } from './query.ts';

type SearchParams = ParamsOf<'kernel.search'>;

/** The most blocks one search returns, and the most of one conversation. */
const mostHits = 150;
const mostOfRoot = 3;

interface Here {
  /** The conversation that is open. */
  readonly root: string | undefined;
  readonly now: number;
}

/** Returns the parameters for the kernel, or the reason the query cannot be asked. */
export function searchParams(query: Query, here: Here): { params: SearchParams } | { problem: string } {
  const values = (name: FilterName): string[] =>
    query.filters.filter((filter) => filter.name === name).map(({ value }) => value);
  const [kinds, agents, path] = [values('kind'), values('agent'), values('path').at(-1)];
  const unknown = kinds.find((kind) => blockKind(kind) === undefined);
  if (unknown !== undefined) return { problem: `There is no kind “${unknown}”. Try ${searchableKinds.join(', ')}.` };
  const times: { after?: string; before?: string } = {};
  for (const name of ['after', 'before'] as const) {
    const value = values(name).at(-1);
    if (value === undefined) continue;
    const time = timeOf(value, here.now);
    if (time === undefined) return { problem: `“${value}” is no day. Write it as 2026-11-01, today or yesterday.` };
    times[name] = time;
  }
  if (values('in').length > 0 && here.root === undefined) return { problem: 'No conversation is open to look into.' };
  const regex = patternOf(query.text);
  return {
    params: {
      ...(regex === undefined
        ? { query: query.text.trim(), literal: true, ignore_case: true }
        : { query: regex.pattern, ignore_case: regex.ignoreCase }),
      ...(kinds.length > 0 || values('has').length > 0
        ? { kinds: values('has').length > 0 ? ['file-change'] : kinds }
        : {}),
      ...(agents.length > 0 ? { agents: agents.map(agentOf) } : {}),
      ...namedIn(query),
      ...(path === undefined ? {} : { path_prefix: path }),
      ...(values('error').length > 0 ? { errors: true } : {}),
      ...(values('in').length > 0 && here.root !== undefined ? { roots: [here.root] } : {}),
      ...times,
      context_lines: 0,
      line_numbers: false,
      max_matches_per_block: 3,
      max_blocks: mostHits,
      max_blocks_per_root: mostOfRoot,
    },
  };
}

/** Returns the filters that are handed on as they are. */
function namedIn({ filters }: Query): Pick<SearchParams, 'roles' | 'project' | 'source' | 'model'> {
  const values = (name: FilterName): string[] =>
    filters.filter((filter) => filter.name === name).map(({ value }) => value);
  const roles = (['user', 'assistant', 'tool'] as const).filter((role) => values('role').includes(role));
  const [project, source, model] = [values('project'), values('source'), values('model')];
  return {
    ...(roles.length === 0 ? {} : { roles }),
    // Typed as nothing: conversations without a project.
    ...(project.length === 0 ? {} : { project: project.map((name) => (name === 'none' ? '' : name)) }),
    ...(source.length === 0 ? {} : { source }),
    ...(model.length === 0 ? {} : { model }),
  };
}

function agentOf(value: string): string {
  return ['me', 'you', 'person'].includes(value.toLowerCase()) ? 'person' : value;
}

/** A day begins at the reader's midnight. */
function timeOf(value: string, now: number): string | undefined {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  if (value === 'today') return day.toISOString();
  if (value === 'yesterday') {
    day.setDate(day.getDate() - 1);
    return day.toISOString();
  }
  const [, year, month, date] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u.exec(value) ?? [];
  if (year === undefined) return undefined;
  const time = new Date(Number(year), Number(month) - 1, Number(date));
  return time.getMonth() === Number(month) - 1 && time.getDate() === Number(date) ? time.toISOString() : undefined;
}
