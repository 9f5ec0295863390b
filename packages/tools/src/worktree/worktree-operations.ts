import { defineOperation, refuse, refuseLimited } from '@loom/kernel';
import type { Operation, ProcessPort, Refused } from '@loom/kernel';
import { z } from 'zod';
import { questionOperations } from './question-operations.ts';

const directory = z.string().min(1).max(4096).describe('The absolute path of a folder in a git repository.');

/** Rows about worktrees: a second checkout of a repository, so that work side by side does not collide. */
export function worktreeOperations(processes: Pick<ProcessPort, 'spawn'>): Operation[] {
  const load = () => import('./worktrees.ts');
  return [
    defineOperation({
      name: 'worktree.create',
      summary: "Makes a git worktree of a folder's repository, on a new branch, for a conversation to work in.",
      params: () =>
        z.strictObject({
          directory,
          name: z
            .string()
            .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/u)
            .exactOptional()
            .describe('A name for the branch and the folder. Default: a new one.'),
        }),
      result: () =>
        z.strictObject({
          directory: z.string().describe('The same folder in the worktree.'),
          branch: z.string().describe('The branch of the worktree.'),
        }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, caller, params) => {
        const denied = refuseLimited(caller, 'worktree.create');
        if (denied !== undefined) return denied;
        const made = await (await load()).createWorktree(params.directory, params.name, { processes });
        return made.ok ? made : refuseDirectory(made.problem);
      },
    }),
    defineOperation({
      name: 'worktree.merge',
      summary:
        'Merges the branch of a worktree into the branch that it was made from. Changes that are not committed are committed to its branch first. Where files conflict, nothing is merged and they are listed.',
      params: () => z.strictObject({ directory }),
      result: () => z.strictObject({ merged: z.boolean(), conflicts: z.array(z.string()) }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, caller, params) => {
        const denied = refuseLimited(caller, 'worktree.merge');
        if (denied !== undefined) return denied;
        const merged = await (await load()).mergeWorktree(params.directory, { processes });
        return merged.ok ? merged : refuseDirectory(merged.problem);
      },
    }),
    ...questionOperations(processes),
  ];
}

function refuseDirectory(problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path: ['directory'], problem }] });
}
