import type { ResultOf } from '@loom/kernel';
import { UsageError } from '../command-line/failure.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { orFail } from '../words/refusal-error.ts';
import type { Loom } from './loom.ts';

export type ListedProject = ResultOf<'project.list'>['items'][number];

/** Lists the projects of conversations, archived ones too. */
export async function listProjects(loom: Loom): Promise<ListedProject[]> {
  return orFail(await loom.call('project.list', { children: false, limit: 10_000 })).items;
}

/** Finds the project that a person named: by its id, its folder or its name. `none` means the conversations without one. */
export async function projectNamed(loom: Loom, name: string): Promise<string> {
  const { items } = orFail(await loom.call('project.list', { archived: 'with', limit: 10_000 }));
  const exact = items.find(
    ({ project, directory }) => project === name || (directory !== undefined && directory === name),
  );
  if (exact !== undefined) return exact.project;
  if (name === 'none') return '';
  const wanted = name.toLowerCase();
  const found = items.filter(({ name: own, project }) => {
    const id = project.toLowerCase();
    return own.toLowerCase() === wanted || id.endsWith(`/${wanted}`);
  });
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.project;
  if (only === undefined)
    throw new UsageError('project-not-found', `there is no project ${name}`, {
      advice: `To see which there are: ${suggest('projects')}`,
    });
  throw new UsageError('project-ambiguous', `${name} is ambiguous: ${found.length} projects are called that`, {
    advice: `Use one of ${found.map(({ project }) => project).join(', ')}.`,
  });
}
