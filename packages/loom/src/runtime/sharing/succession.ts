import type { ServerPlace } from '@loom/client';
import type { Door } from '../../serve/door.ts';
import type { OpenTokens } from '../../serve/token-file.ts';
import { closeDoor, finishForOthers } from './answers-for-others.ts';
import { handOverOperation, untilTaken } from './hand-over.ts';
import { takeOrFind } from './held-folder.ts';
import { printNote, type LoomOptions, type OpenedFolder } from '../opened-folder.ts';
import { warn } from '../warn.ts';

export interface SuccessionOptions extends LoomOptions {
  tokens: OpenTokens;
}

/** Finds the process that has a data folder. If it has ended, this process takes the folder and lets others in. */
export class Succession {
  readonly #options: SuccessionOptions;
  #place: ServerPlace;
  #held: { opened: OpenedFolder; door: Door } | undefined;
  #looking: Promise<ServerPlace> | undefined;

  constructor(options: SuccessionOptions, first: ServerPlace) {
    this.#options = options;
    this.#place = first;
  }

  /** Returns the server of the folder: the last known one, unless it was lost there. */
  async locate(lost: ServerPlace | undefined): Promise<ServerPlace> {
    if (lost === undefined || lost.token !== this.#place.token) return this.#place;
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Resolves when no turn runs in this process. */
  async idle(): Promise<void> {
    await this.#held?.opened.idle();
  }

  async close(): Promise<void> {
    await this.#looking?.catch(() => {});
    if (this.#held === undefined) return;
    const { opened, door } = this.#held;
    await finishForOthers(opened, this.#options.note ?? printNote);
    await closeDoor(opened.engine, door);
    await opened.close();
  }

  /** Gives the folder to a process that is going to serve it, and works through that one. */
  async #handOver(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#looking ??= (async () => {
      await closeDoor(held.opened.engine, held.door);
      await held.opened.close();
      await untilTaken(this.#options.dataDir);
      return this.#look();
    })().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #look(): Promise<ServerPlace> {
    const { operations = [] } = this.#options;
    const handOver = handOverOperation(() => this.#handOver().catch(warn));
    const found = await takeOrFind({ ...this.#options, operations: [...operations, handOver] });
    this.#place = 'place' in found ? found.place : await this.#open(found.opened);
    return this.#place;
  }

  async #open(opened: OpenedFolder): Promise<ServerPlace> {
    try {
      const { openDoor } = await import('../../serve/door.ts');
      const door = await openDoor({ opened, tokens: await this.#options.tokens(), onFailure: warn });
      opened.watch();
      this.#held = { opened, door };
      return door.place;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}
