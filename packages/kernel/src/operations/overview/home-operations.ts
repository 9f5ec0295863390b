import { z } from 'zod';
import { cleanObject } from '@loom/blocks';
import type { Home } from '../../homes/home-name.ts';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { refuseLimited, suffices } from '../permission.ts';

const project = z
  .string()
  .min(1)
  .max(1000)
  .refine((id) => id.isWellFormed(), 'must not have half of a character')
  .exactOptional()
  .describe("A project, as in root.list, for what it shares. Default: the caller's own home.");
const key = z.string().min(1).max(300).describe('Such as pins/<root> or prompts/<name>.');
/** About 64 KB of text. */
const longestValue = 65_536;

function homeOf({ agent }: Caller, id: string | undefined): Home {
  return id === undefined ? { person: agent } : { project: id };
}

/** Refuses a project to a caller limited to some conversations: shared data concerns all conversations of a project. */
function refuseProject(caller: Caller, operation: string, id: string | undefined): Refused | undefined {
  return id === undefined ? undefined : refuseLimited(caller, operation);
}

const listHome = defineOperation({
  name: 'home.list',
  summary:
    'Lists what the caller keeps beside conversations, such as pins, saved searches and prompts, or what a project shares, by key.',
  params: () =>
    z.strictObject({
      project,
      prefix: z.string().exactOptional().describe('Only keys that begin with this. Default: all.'),
      ...pageParams,
    }),
  result: () =>
    pageOf(
      z.strictObject({
        key: z.string(),
        value: z.record(z.string(), z.unknown()),
        time: z.number().describe('When it was set, in milliseconds since 1970.'),
        agent: z.string().describe('The one who set it.'),
      }),
    ),
  effect: 'reads',
  run: async (engine, caller, { project: id, prefix, ...page }) => {
    const denied = refuseProject(caller, 'home.list', id);
    if (denied !== undefined) return denied;
    const entries = await engine.homes.list(homeOf(caller, id), prefix);
    return { ok: true, value: takePage(entries, (entry) => entry.key, page) };
  },
});

const setHome = defineOperation({
  name: 'home.set',
  summary:
    "Sets or removes entries of the caller's own home, or of a project's, in one change. An entry without a value is removed.",
  params: () =>
    z.strictObject({
      project,
      entries: z
        .array(
          z.strictObject({
            key,
            value: cleanObject
              .refine((value) => JSON.stringify(value).length <= longestValue, {
                error: `must be at most ${longestValue} characters of JSON`,
              })
              .exactOptional()
              .describe('An object. Absent: the key is removed.'),
          }),
        )
        .min(1)
        .max(1000)
        .describe('What to set or remove.'),
    }),
  result: () => z.strictObject({ changed: z.int().describe('How many entries are different now.') }),
  effect: 'changes',
  role: 'reader',
  run: async (engine, caller, { project: id, entries }) => {
    const denied = refuseProject(caller, 'home.set', id);
    if (denied !== undefined) return denied;
    if (id !== undefined && !suffices(caller.role, 'writer'))
      return refuse({ reason: 'not-permitted', needs: 'writer', operation: 'home.set' });
    const outcome = await engine.homes.set(caller, homeOf(caller, id), entries);
    return outcome.ok ? { ...outcome, value: { changed: outcome.value } } : outcome;
  },
});

export const homeOperations = [listHome, setHome] as const;
