import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '@loom/kernel/testing';
import { replaceFiles } from '../../folder/replace-files.ts';
import type { FileStep, FileSteps, KeptSide } from '../file-steps.ts';
import { groupFiles, TurnFiles } from '../turn-files.ts';

export type Side = { text: string; mode: number } | undefined;

/** The sides that edit files: the turn, a person, and another program. */
export type Actor = 'turn' | 'person' | 'program';

/** Files with a mode, and what was done to them by a turn and by others. */
export class Scene {
  readonly random: Random;
  readonly directory: string;
  readonly blobs = new Map<string, Uint8Array>();
  readonly files = new Map<string, Side>();
  readonly steps = new Map<string, FileStep[]>();
  #lines = 0;

  constructor(random: Random, directory: string) {
    this.random = random;
    this.directory = directory;
    const count = 2 + random.below(5);
    for (let number = 0; number < count; number += 1) {
      const path = `${['', 'a/', 'b/c/'][random.below(3)] ?? ''}f${number}`;
      const lines = Array.from({ length: random.below(12) }, () => this.#line('old'));
      this.#set(
        path,
        random.below(4) === 0 ? undefined : { text: lines.join(''), mode: [0o644, 0o755][random.below(2)] ?? 0o644 },
      );
    }
  }

  /** Makes a line that no one else makes. */
  #line(by: string): string {
    this.#lines += 1;
    return `${by} ${this.#lines}\n`;
  }

  /** Changes a file in one of several ways. */
  change(path: string, by: Actor): void {
    const before = this.files.get(path);
    const after = this.#altered(before, by);
    this.#set(path, after);
    if (by !== 'turn') return;
    const step: FileStep = {
      path,
      turn: 't',
      node: 'n',
      block: 'b',
      before: this.#keep(before),
      after: this.#keep(after),
    };
    this.steps.set(path, [...(this.steps.get(path) ?? []), step]);
  }

  /** Writes a file as another program would, in a copy of the folder; returns its new text. */
  meddle(directory: string, path: string): string {
    const text = this.#line('program');
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
    return text;
  }

  #altered(before: Side, by: string): Side {
    if (before === undefined) return { text: this.#line(by), mode: 0o644 };
    const choice = this.random.below(10);
    if (choice === 0) return undefined;
    if (choice === 1) return { ...before, mode: before.mode === 0o644 ? 0o755 : 0o644 };
    const lines = before.text.match(/[^\n]*\n/gu) ?? [];
    const at = this.random.below(lines.length + 1);
    const removed = this.random.below(3) === 0 ? this.random.below(3) : 0;
    const added = removed > 0 && this.random.below(2) === 0 ? [] : [this.#line(by)];
    return { ...before, text: [...lines.slice(0, at), ...added, ...lines.slice(at + removed)].join('') };
  }

  #keep(side: Side): KeptSide {
    if (side === undefined) return { type: 'absent' };
    const bytes = Buffer.from(side.text);
    const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    this.blobs.set(blob, bytes);
    return { type: 'content', blob, mode: side.mode };
  }

  #set(path: string, side: Side): void {
    this.files.set(path, side);
    const place = join(this.directory, path);
    if (side === undefined) return rmSync(place, { force: true });
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, side.text);
    chmodSync(place, side.mode);
  }

  groups(directory: string) {
    const files = Array.from(this.steps, ([path, steps]): FileSteps => ({ directory, path, steps }));
    return groupFiles(files);
  }

  turnFiles(replace: typeof replaceFiles = replaceFiles): TurnFiles {
    const put = async (bytes: Uint8Array): Promise<string> => {
      const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      this.blobs.set(blob, bytes);
      return blob;
    };
    return new TurnFiles({ get: async (id) => this.blobs.get(id), put }, replace);
  }
}

/** Returns all files of a folder with their modes. */
export function treeOf(directory: string, below = ''): Map<string, { text: string; mode: number }> {
  const found = new Map<string, { text: string; mode: number }>();
  for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) for (const [name, side] of treeOf(directory, path)) found.set(name, side);
    else
      found.set(path, {
        text: readFileSync(join(directory, path), 'utf8'),
        mode: statSync(join(directory, path)).mode & 0o777,
      });
  }
  return found;
}

/** Returns true if a file is as that side of a change says. */
export function sameSide(side: KeptSide | undefined, disk: { text: string; mode: number } | undefined): boolean {
  if (disk === undefined) return side?.type === 'absent';
  const hash = createHash('sha256').update(disk.text).digest('hex');
  return side?.type === 'content' && side.blob === `sha256:${hash}` && side.mode === disk.mode;
}
