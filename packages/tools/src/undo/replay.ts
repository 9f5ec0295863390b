import type { FileStep, KeptSide } from './file-steps.ts';
import { mergeLines } from './merge-lines.ts';

/** A file on disk, or that there is none. */
export type DiskSide = { type: 'content'; bytes: Uint8Array; blob: string; mode: number } | { type: 'absent' };

/** The outcome of taking changes back, or of making them again. */
export type Replay =
  | { ok: true; side: DiskSide; merged: boolean }
  | { ok: false; reason: 'not-kept' | 'changed-since' };

/** Returns the bytes of a blob; `undefined` if they are gone. */
export type ReadBlob = (blob: string) => Promise<Uint8Array | undefined>;

/**
 * Works out what a file becomes if changes of it are taken back (`undone`) or made again (`done`). A file that is as the change left it
 * becomes what it was. If other lines changed since, only the lines of the change go back. Doing it twice makes no difference.
 */
export async function replay(
  steps: readonly FileStep[],
  current: DiskSide,
  to: 'undone' | 'done',
  read: ReadBlob,
): Promise<Replay> {
  let side = current;
  let merged = false;
  const isUndo = to === 'undone';
  // The whole way at once: what a step in the middle left need not be kept.
  const whole = {
    from: isUndo ? steps.at(-1)?.after : steps[0]?.before,
    to: isUndo ? steps[0]?.before : steps.at(-1)?.after,
  };
  if (whole.to !== undefined && isAt(side, whole.to)) return withMode({ ok: true, side, merged }, whole.from, whole.to);
  const ordered = isUndo ? steps.toReversed() : steps;
  for (const step of ordered) {
    const [from, target] = isUndo ? [step.after, step.before] : [step.before, step.after];
    if (target.type === 'unknown') return { ok: false, reason: 'not-kept' };
    if (isAt(side, from)) {
      const reached = await sideAt(target, side, read);
      if (reached === undefined) return { ok: false, reason: 'not-kept' };
      side = keepMode(reached, side, from);
      continue;
    }
    const other = await mergeInto(side, from, target, read);
    if (other === undefined) return { ok: false, reason: from.type === 'unknown' ? 'not-kept' : 'changed-since' };
    side = other;
    merged = true;
  }
  return { ok: true, side, merged };
}

/** Returns true if the file on disk has the content of that side, or exists as little. */
export function isAt(disk: DiskSide, side: KeptSide): boolean {
  if (disk.type === 'absent') return side.type === 'absent';
  return side.type === 'content' && side.blob === disk.blob;
}

async function sideAt(target: KeptSide, current: DiskSide, read: ReadBlob): Promise<DiskSide | undefined> {
  if (target.type !== 'content') return { type: 'absent' };
  const bytes = await read(target.blob);
  const mode = target.mode ?? (current.type === 'content' ? current.mode : 0o644);
  return bytes === undefined ? undefined : { type: 'content', bytes, blob: target.blob, mode };
}

/** A mode that was changed since stays. */
function keepMode(reached: DiskSide, current: DiskSide, from: KeptSide): DiskSide {
  if (reached.type !== 'content' || current.type !== 'content' || from.type !== 'content') return reached;
  return from.mode === undefined || from.mode === current.mode ? reached : { ...reached, mode: current.mode };
}

/** The content is there already; its mode may still have to follow. */
function withMode(replay: Extract<Replay, { ok: true }>, from: KeptSide | undefined, to: KeptSide): Replay {
  const { side } = replay;
  if (side.type !== 'content' || to.type !== 'content' || to.mode === undefined) return replay;
  const isOurs = from?.type === 'content' && from.mode === side.mode;
  return isOurs ? { ...replay, side: { ...side, mode: to.mode } } : replay;
}

async function mergeInto(
  current: DiskSide,
  from: KeptSide,
  to: KeptSide,
  read: ReadBlob,
): Promise<DiskSide | undefined> {
  if (current.type !== 'content' || from.type !== 'content' || to.type !== 'content') return undefined;
  const [base, theirs] = [await read(from.blob), await read(to.blob)].map((bytes) => textOf(bytes));
  const ours = textOf(current.bytes);
  if (base === undefined || theirs === undefined || ours === undefined) return undefined;
  const text = mergeLines(base, ours, theirs);
  return text === undefined ? undefined : { ...current, bytes: new TextEncoder().encode(text), blob: '' };
}

/** Returns a UTF-8 text; `undefined` for other bytes. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
