import { splitPath } from '@loom/blocks';
import { z } from 'zod';
import { count } from '../words/amounts.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { ChangedFile } from './change-set.ts';
import { noteUndone } from './use-changes.ts';

const restored = z.object({
  restored: z.array(z.string()),
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
});
type Restored = z.infer<typeof restored>;

type UndoHost = Pick<WorkHost, 'ask' | 'attempt' | 'tell'>;

/** Takes back what turns did to files, and tells what came of it; the notice offers to redo it. */
export async function undoFiles(host: UndoHost, root: string, files: readonly ChangedFile[]): Promise<void> {
  // The newest turn first: a file that two turns have changed is as the older one left it only then.
  const steps = stepsOf(files).reverse();
  await run(host, { name: 'turn.undo_files', root }, steps, undoneWords, {
    label: 'Redo',
    run: () => host.attempt(() => redoFiles(host, root, files)),
  });
}

async function redoFiles(host: UndoHost, root: string, files: readonly ChangedFile[]): Promise<void> {
  await run(host, { name: 'turn.redo_files', root }, stepsOf(files), redoneWords);
}

interface Step {
  readonly turn: string;
  readonly paths: readonly string[];
}

/** The turns that changed some files, in their order, each with its files. */
export function stepsOf(files: readonly ChangedFile[]): Step[] {
  const turns = new Map<string, string[]>();
  const order = files.flatMap(({ turns: all }) => all).sort(byNumber);
  for (const turn of order) turns.set(turn, []);
  for (const { path, turns: all } of files) for (const turn of all) turns.get(turn)?.push(path);
  return [...turns].map(([turn, paths]) => ({ turn, paths }));
}

const collator = new Intl.Collator('en', { numeric: true });
function byNumber(one: string, other: string): number {
  return collator.compare(one, other);
}

async function run(
  { ask, tell }: UndoHost,
  { name, root }: { readonly name: string; readonly root: string },
  steps: readonly Step[],
  words: (sum: Restored) => string,
  action?: { readonly label: string; readonly run: () => void },
): Promise<void> {
  const changed = new Set<string>();
  const left = new Map<string, string>();
  try {
    for (const step of steps) {
      const outcome = restored.parse(await ask(name, { root, ...step }));
      for (const path of outcome.restored) changed.add(path);
      for (const { path, reason } of outcome.left) left.set(path, reason);
    }
  } finally {
    noteUndone();
  }
  const sum = { restored: [...changed], left: [...left].map(([path, reason]) => ({ path, reason })) };
  tell(words(sum), changed.size === 0 ? undefined : action);
}

/** `Undid changes to 5 files. package.json was left as it is.` */
function undoneWords({ restored: paths, left }: Restored): string {
  return `${paths.length === 0 ? 'No file was changed back.' : `Undid changes to ${count(paths.length, 'file')}.`}${leftWords(left)}`;
}

function redoneWords({ restored: paths, left }: Restored): string {
  return `${paths.length === 0 ? 'No file was changed.' : `Redid changes to ${count(paths.length, 'file')}.`}${leftWords(left)}`;
}

function leftWords(left: Restored['left']): string {
  const [first] = left;
  if (first === undefined) return '';
  if (left.length === 1) return ` ${splitPath(first.path).name} was left as it is.`;
  return ` ${count(left.length, 'file')} were left as they are.`;
}
