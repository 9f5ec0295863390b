import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { replaceFiles } from '../../folder/replace-files.ts';
import type { KeptSide } from '../file-steps.ts';
import type { FileGroup } from '../turn-files.ts';
import type { Scene } from './file-scene.ts';
import { treeOf } from './file-scene.ts';

/** A planted fault: undo that takes every file to be as the turn has left it, as one that replays a journal would. */
export function asIfUntouched(scene: Scene, groups: FileGroup[], directory: string): FileGroup[] {
  const tree = treeOf(directory);
  const onDisk = (path: string): KeptSide => {
    const side = tree.get(path);
    if (side === undefined) return { type: 'absent' };
    const bytes = Buffer.from(side.text);
    const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    scene.blobs.set(blob, bytes);
    return { type: 'content', blob, mode: side.mode };
  };
  return groups.map((group) => ({
    ...group,
    parts: group.parts.map((part) => ({
      ...part,
      steps: part.steps.map((step, index) =>
        index === part.steps.length - 1 ? { ...step, after: onDisk(part.path) } : step,
      ),
    })),
  }));
}

/** A planted fault: files are replaced without a second look at what they hold. */
export const blindReplace: typeof replaceFiles = async (folder, wanted) => {
  for (const { path, after, mode } of wanted) {
    const place = join(folder.path, path);
    mkdirSync(dirname(place), { recursive: true });
    if (after === undefined) rmSync(place, { force: true });
    else writeFileSync(place, after);
    if (after !== undefined && mode !== undefined) chmodSync(place, mode);
  }
  return wanted.map(({ path }) => ({ path }));
};
