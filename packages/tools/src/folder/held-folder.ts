import { constants, existsSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PathError } from './path-error.ts';

/** The way in which the names in a held folder are reached: through its descriptor, or by its path, which is confirmed each time. */
export type Reach = 'descriptor' | 'path';

/** Through descriptors where the system can do that: then another program cannot put another folder in the place of a held one. */
export const bestReach: Reach = process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'path';

/** A folder that stays the same one while it is held, whatever happens to its path meanwhile. */
export class HeldFolder {
  readonly reach: Reach;
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #identity: BigIntStats;

  private constructor(handle: FileHandle, path: string, identity: BigIntStats, reach: Reach) {
    this.#handle = handle;
    this.#path = path;
    this.#identity = identity;
    this.reach = reach;
  }

  /** Opens the folder at a path. The last name of it must not be a link. `known`: the path that it is said to be at. */
  static async open(path: string, reach: Reach, known = path): Promise<HeldFolder> {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      return new HeldFolder(handle, known, await handle.stat({ bigint: true }), reach);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Opens a folder in this one; refuses a link. */
  async enter(name: string): Promise<HeldFolder> {
    const entered = await HeldFolder.open(this.at(name), this.reach, join(this.#path, name));
    try {
      await entered.confirm();
      return entered;
    } catch (error) {
      await entered.close();
      throw error;
    }
  }

  /** Returns the path by which a name in this folder is reached. */
  at(name: string): string {
    return join(this.here, name);
  }

  /** The path by which the folder itself is reached. */
  get here(): string {
    return this.reach === 'descriptor' ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }

  /**
   * Refuses to go on if the path leads to another folder by now, or through a link. A folder that is reached through its descriptor
   * needs no second look.
   */
  async confirm(): Promise<void> {
    if (this.reach === 'descriptor') return;
    const now = await lstat(this.#path, { bigint: true });
    if (!isSameFile(now, this.#identity) || (await realpath(this.#path)) !== this.#path) {
      throw new PathError('changed', this.#path, `${this.#path} was replaced while it was being used. Try again.`);
    }
  }

  /** Makes the names in it durable, on file systems that can do so. */
  async sync(): Promise<void> {
    await this.#handle.sync().catch(() => {});
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Returns true if two looks saw the same file or folder. */
export function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}
