import { defineOperation, nodeId, pathTo, readRootSettings, refuse, rootId } from '@loom/kernel';
import type { Caller, LoomEngine, NodeState, Operation, Outcome, RootState } from '@loom/kernel';
import { z } from 'zod';
import { nodesOfTurn, notesIn, stepsOf } from './file-steps.ts';
import type { FileSteps } from './file-steps.ts';

const turnId = z.string().min(1).describe('The id of a turn.');
const paths = z
  .array(z.string().min(1))
  .min(1)
  .max(10_000)
  .exactOptional()
  .describe('Only these paths, as turn.changes names them. Default: all files of the turn.');

const changedFile = () =>
  z.strictObject({
    path: z.string().describe('The path below the folder.'),
    kind: z.enum(['add', 'modify', 'delete', 'rename']),
    from: z.string().exactOptional().describe('The former path of a renamed file.'),
    diff: z.string().exactOptional().describe('All changes of the file as one unified diff, if it is text.'),
    added: z.int().describe('The number of added lines.'),
    removed: z.int().describe('The number of removed lines.'),
    state: z
      .enum(['as-left', 'changed-since', 'undone', 'unknown'])
      .describe(
        'Whether the file is still as it was left, was changed since, is back as it was before, or cannot be compared.',
      ),
    restorable: z.boolean().describe('Whether turn.undo_files can take the changes back.'),
    why: z.string().exactOptional().describe('Why not, or what stays.'),
    turns: z.array(z.string()).describe('The turns that changed it.'),
  });

const broughtFiles = () =>
  z.strictObject({
    restored: z.array(z.string()).describe('The paths that were brought back.'),
    left: z
      .array(
        z.strictObject({
          path: z.string(),
          reason: z.enum(['changed-since', 'not-kept', 'no-folder', 'not-usable', 'nothing-to-do']),
          message: z.string(),
          diff: z.string().exactOptional().describe('How the file differs from what the turn left.'),
        }),
      )
      .describe('The files that were left as they are, and why.'),
  });

/** Rows about the files that turns have changed. */
export function undoOperations(): Operation[] {
  return [
    defineOperation({
      name: 'turn.changes',
      summary:
        'Returns the files that a turn, or all turns of a branch, have changed, each with one diff, and whether its changes can be taken back.',
      params: () =>
        z.strictObject({
          root: rootId,
          turn: turnId.exactOptional(),
          node: nodeId.exactOptional().describe('The end of the branch, or a node of the turn.'),
          scope: z
            .enum(['turn', 'branch'])
            .exactOptional()
            .describe(
              'The changes of one turn, or of the branch up to the node. Default: turn if a turn is given, else branch.',
            ),
        }),
      result: () =>
        z.strictObject({
          files: z.array(changedFile()),
          notes: z.array(z.string()).describe('What is not known about the changes of commands.'),
          directory: z.string().exactOptional(),
        }),
      refusals: ['turn-not-found', 'node-not-found'],
      effect: 'reads',
      run: async (engine, _caller, { root, turn, node, scope = turn === undefined ? 'branch' : 'turn' }) => {
        const { value } = await engine.forest.log(root).read((state) => gather(state, { turn, node, scope }));
        if (!value.ok) return value;
        const { TurnFiles, groupFiles } = await import('./turn-files.ts');
        const files = new TurnFiles(engine.blobs);
        const { directory, steps, undone, notes } = value.value;
        const described = [];
        for (const group of groupFiles(steps)) described.push(await files.describe(group, undone.has(group.path)));
        return { ok: true, value: { files: described, notes, ...(directory === undefined ? {} : { directory }) } };
      },
    }),
    bringOperation('turn.undo_files', 'undone'),
    bringOperation('turn.redo_files', 'done'),
  ];
}

const summaries = {
  undone:
    'Takes back what a turn did to files. A file that is as the turn left it becomes what it was before; where only other lines changed since, the lines of the turn go back; all others are left and listed.',
  done: 'Does again what turn.undo_files took back, under the same conditions.',
};

function bringOperation(name: string, to: 'undone' | 'done'): Operation {
  return defineOperation({
    name,
    summary: summaries[to],
    params: () => z.strictObject({ root: rootId, turn: turnId, paths }),
    result: broughtFiles,
    refusals: ['turn-not-found', 'turn-live'],
    effect: 'changes',
    role: 'owner',
    run: (engine, caller, { root, turn, paths: only }) =>
      oneByOne(root, () => bring(engine, caller, { root, turn, only, to })),
  });
}

async function bring(
  engine: LoomEngine,
  caller: Caller,
  { root, turn, only, to }: { root: string; turn: string; only: readonly string[] | undefined; to: 'undone' | 'done' },
): Promise<
  Outcome<{ restored: string[]; left: { path: string; reason: LeftReason; message: string; diff?: string }[] }>
> {
  const log = engine.forest.log(root);
  const state = await log.state();
  if (state.liveTurns.has(turn)) {
    return refuse({ reason: 'turn-live', turns: [turn], node: state.turns.get(turn)?.node ?? root, where: 'node' });
  }
  const gathered = gather(state, { turn, scope: 'turn' });
  if (!gathered.ok) return gathered;
  const { steps, undone } = gathered.value;
  const { TurnFiles, groupFiles } = await import('./turn-files.ts');
  const all = groupFiles(steps);
  const wanted =
    only === undefined ? all : all.filter(({ path, from }) => only.includes(path) || only.includes(from ?? path));
  const isDue = ({ path }: { path: string }): boolean => undone.has(path) === (to === 'done');
  const { restored, left } = await new TurnFiles(engine.blobs).bring(wanted.filter(isDue), to);
  if (restored.length > 0) {
    const written = await log.append(caller, z.null(), () => ({
      ok: true,
      ops: [{ type: 'files-undone', turn, to, files: restored }],
      value: null,
    }));
    if (!written.ok) return written;
  }
  const known = new Set(all.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])));
  const idle = [
    ...(only ?? [])
      .filter((path) => !known.has(path))
      .map((path) => ({ path, message: `The turn did not change ${path}.` })),
    ...wanted
      .filter((group) => !isDue(group))
      .map(({ path }) => ({
        path,
        message: to === 'undone' ? `${path} is undone already.` : `${path} was not undone.`,
      })),
  ].map((one) => ({ ...one, reason: 'nothing-to-do' as const }));
  return {
    ok: true,
    value: { restored: restored.map(({ path }) => path), left: [...left, ...(only === undefined ? [] : idle)] },
  };
}

type LeftReason = 'changed-since' | 'not-kept' | 'no-folder' | 'not-usable' | 'nothing-to-do';

interface Gathered {
  directory: string | undefined;
  steps: FileSteps[];
  /** The paths whose changes were all taken back. */
  undone: Set<string>;
  notes: string[];
}

/** Gathers the changes that are asked for, from the state of the log. */
function gather(
  state: RootState,
  { turn, node, scope }: { turn?: string | undefined; node?: string | undefined; scope: 'turn' | 'branch' },
): Outcome<Gathered> {
  const { directory } = readRootSettings(state.config);
  const at = node === undefined ? undefined : state.nodes.get(node);
  if (node !== undefined && at === undefined) return refuse({ reason: 'node-not-found', node });
  const asked = turn ?? (scope === 'turn' ? at?.turn : undefined);
  if (scope === 'turn' && (asked === undefined || !state.turns.has(asked))) {
    return refuse({ reason: 'turn-not-found', turn: asked ?? node ?? '' });
  }
  const nodes = scope === 'turn' ? nodesOfTurn(state, asked ?? '') : branchOf(state, node, asked);
  const steps: FileSteps[] = [];
  const undone = new Set<string>();
  for (const file of stepsOf(nodes, directory)) {
    const active = file.steps.filter(({ turn: by, path }) => state.undoneFiles.get(by)?.has(path) !== true);
    if (active.length === 0) undone.add(file.path);
    steps.push(active.length === 0 ? file : { ...file, steps: active });
  }
  return { ok: true, value: { directory, steps, undone, notes: notesIn(nodes) } };
}

/** The path to a node, to the last node of a turn, or to the newest leaf. */
function branchOf(state: RootState, node: string | undefined, turn: string | undefined): NodeState[] {
  const end =
    node ?? (turn === undefined ? undefined : nodesOfTurn(state, turn).at(-1)?.id) ?? [...state.nodes.keys()].at(-1);
  return end === undefined ? [] : pathTo(state, end);
}

/** Undoing twice at once would compare each file with what the other one has just written. */
async function oneByOne<T>(root: string, work: () => Promise<T>): Promise<T> {
  const before = underWay.get(root) ?? Promise.resolve();
  const done = before.then(work, work);
  underWay.set(root, done);
  try {
    return await done;
  } finally {
    if (underWay.get(root) === done) underWay.delete(root);
  }
}

const underWay = new Map<string, Promise<unknown>>();
