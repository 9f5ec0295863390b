import { projectNames } from '../../forest/projects.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { RootFilters } from './root-filter.ts';
import type { PlacedRow, RootFilter } from './root-filter.ts';
import type { Caller } from '../operation.ts';

/** The filters of conversations that a search takes, as root.list does. */
interface ConversationFilter {
  project: string[] | undefined;
  source: string[] | undefined;
  model: string[] | undefined;
}

/** Returns the conversations that filters leave of those that were named, newest first; `undefined` if nothing narrows them. */
export async function narrowedRoots(
  engine: LoomEngine,
  caller: Caller,
  { project, source, model }: ConversationFilter,
  named: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (project === undefined && source === undefined && model === undefined) return undefined;
  const filters: RootFilter = {
    archived: 'with',
    ...(source === undefined ? {} : { source }),
    ...(model === undefined ? {} : { model }),
  };
  const { matching, rows } = await RootFilters.read(engine, caller, filters);
  const isInProject = project === undefined ? () => true : projectTest(project, rows);
  const only = named && new Set(named);
  return matching
    .filter((row) => isInProject(row.project) && only?.has(row.id) !== false)
    .map(({ id }) => id)
    .reverse();
}

/** Tells if a project is one of those that were given by id or by name. */
function projectTest(given: readonly string[], rows: readonly PlacedRow[]): (id: string) => boolean {
  const wanted = new Set(given);
  const names = projectNames([...new Set(rows.map(({ project }) => project))]);
  return (id) => wanted.has(id) || (id !== '' && wanted.has(names.get(id) ?? ''));
}
