import { diffTexts, formatDiff } from '@loom/blocks/patch';
import type { FileChange, FileChangeBlock, ToolBlock } from '@loom/blocks';
import type { PreparedCall, ToolContext, ToolOutcome, ToolOutput } from '@loom/kernel';
import { hashOf } from '../folder/confined-folder.ts';
import type { FileState } from '../folder/confined-folder.ts';
import { replaceFiles } from '../folder/replace-files.ts';
import type { Replacement } from '../folder/replace-files.ts';
import { ToolMistake } from './file-call.ts';
import type { ChangingCode, FileCall, FileScope, PlannedFile } from './file-call.ts';
import { wasSeen } from './seen-before.ts';
import { askPermission, mistaken, mistakeIn, openScope, readParams, refuseStopped, textOf } from './file-scope.ts';

/** Prepares a call that changes files: works out the changes, and shows them as a diff. */
export async function prepareChanges<Params>(code: ChangingCode<Params>, call: FileCall): Promise<PreparedCall> {
  const { memory } = call.parts;
  const { node } = call.context;
  try {
    const scope = await openScope(call);
    const planned = await plan(code, call, scope);
    const { permission, rule, rules, reason } = await askPermission(call, 'changes', pathsOf(planned));
    const because = rule === undefined ? {} : { rule };
    if (permission === 'deny') {
      return { permission, preview: [{ type: 'text', text: reason ?? 'Changes are not permitted here.' }], ...because };
    }
    memory.prepared(node, { before: new Map(planned.flatMap(hashesOf)) });
    const shown: ToolBlock = { type: 'file-change', changes: planned.map(describeChange) };
    const preview: ToolBlock[] = reason === undefined ? [shown] : [shown, { type: 'text', text: reason }];
    return { permission, preview, ...because, ...(rules === undefined ? {} : { rules }) };
  } catch (error) {
    // No person is asked about a call that cannot succeed; the model reads the mistake when it runs.
    memory.prepared(node, { mistake: mistakeIn(error) });
    return { permission: 'run' };
  }
}

/**
 * Makes the changes. The contents before and after are durable, and the block that cites them is in the log, before the first file is
 * touched: so a crash loses nothing, and what was done can be seen and taken back.
 */
export async function runChanges<Params>(
  code: ChangingCode<Params>,
  call: FileCall,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const { context, parts } = call;
  const prepared = parts.memory.takePrepared(context.node);
  if (prepared !== undefined && 'mistake' in prepared) return mistaken(prepared.mistake);
  let isShown = false;
  try {
    const scope = await openScope(call);
    const planned = await plan(code, call, scope);
    for (const [path, hash] of planned.flatMap(hashesOf)) {
      if (prepared?.before.has(path) === true && prepared.before.get(path) !== hash) throw changedMeanwhile(path);
    }
    const block: FileChangeBlock = {
      type: 'file-change',
      changes: await keepContents(planned, context),
      metadata: { directory: scope.folder.path },
    };
    refuseStopped(context);
    await out.start(key, block);
    isShown = true;
    await replaceFiles(scope.folder, planned.flatMap(replacementsOf));
    await out.end(key, block);
    for (const { path, from, after } of planned) {
      if (from !== undefined) parts.memory.note(context.root, from, undefined);
      parts.memory.note(context.root, path, after === undefined ? undefined : hashOf(after));
    }
    return { content: [{ type: 'text', text: block.changes.map(summarize).join('\n') }] };
  } catch (error) {
    const mistake = mistakeIn(error);
    if (isShown) await out.end(key, { type: 'file-change', changes: [] });
    return mistaken(mistake);
  }
}

const key = 'file-change';

async function plan<Params>(code: ChangingCode<Params>, call: FileCall, scope: FileScope): Promise<PlannedFile[]> {
  const planned = await code.plan(readParams(code.params, call), scope);
  const paths = pathsOf(planned);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new ToolMistake(`${twice} is changed twice by one call. Put all its changes into one.`);
  return planned;
}

function changedMeanwhile(path: string): ToolMistake {
  return new ToolMistake(
    `${path} changed after this change of it was shown to the person. Nothing was changed. Read it again, then decide what to change.`,
  );
}

/** Refuses to change a file that the model has not seen as it is. */
export async function refuseUnseen(scope: FileScope, file: FileState): Promise<void> {
  const { memory, context } = scope;
  if (memory.seen(context.root, file.path) === undefined && (await wasSeen(scope, file)))
    memory.note(context.root, file.path, file.hash);
  const seen = memory.seen(context.root, file.path);
  if (seen === undefined) {
    throw new ToolMistake(`${file.path} has not been read in this conversation. Read it first, then change it.`);
  }
  if (seen !== file.hash) {
    throw new ToolMistake(
      `${file.path} changed since it was read: a person or another program has written to it. Read it again, then decide what to change.`,
    );
  }
}

function pathsOf(planned: readonly PlannedFile[]): string[] {
  return planned.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
}

function hashesOf({ path, from, before }: PlannedFile): [string, string | undefined][] {
  return from === undefined
    ? [[path, before?.hash]]
    : [
        [from, before?.hash],
        [path, undefined],
      ];
}

function replacementsOf({ path, from, before, after, mode }: PlannedFile): Replacement[] {
  const hash = before?.hash;
  if (from === undefined) return [{ path, before: hash, after, mode }];
  return [
    { path, before: undefined, after, mode: mode ?? before?.mode },
    { path: from, before: hash, after: undefined },
  ];
}

/** Describes a change for people: its diff, where both sides are text. */
export function describeChange({ path, kind, from, before, after }: PlannedFile): FileChange {
  const change: FileChange = { path, kind, ...(from === undefined ? {} : { from }) };
  const old = before === undefined ? '' : textOf(before.bytes);
  const updated = after === undefined ? '' : textOf(after);
  if (old === undefined || updated === undefined) return change;
  const diff = formatDiff(
    before === undefined ? undefined : (from ?? path),
    after === undefined ? undefined : path,
    diffTexts(old, updated),
  );
  return diff === undefined ? change : { ...change, diff };
}

async function keepContents(planned: readonly PlannedFile[], { blobs }: ToolContext): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const file of planned) {
    const { before, after } = file;
    const mode = {
      ...(before === undefined ? {} : { before: before.mode }),
      ...(after === undefined ? {} : { after: file.mode ?? before?.mode ?? 0o644 }),
    };
    changes.push({
      ...describeChange(file),
      ...(before === undefined ? {} : { before: await blobs.put(before.bytes) }),
      ...(after === undefined ? {} : { after: await blobs.put(after) }),
      mode,
    });
  }
  return changes;
}

/** Says in a line what was done to a file. */
function summarize({ path, kind, from, diff = '' }: FileChange): string {
  const lines = diff.split('\n');
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length;
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length;
  const counts = diff === '' ? '' : ` (+${added} -${removed} lines)`;
  const verbs = { add: 'Created', modify: 'Changed', delete: 'Deleted', rename: 'Renamed' };
  return `${verbs[kind]} ${from === undefined ? path : `${from} to ${path}`}${counts}.`;
}
