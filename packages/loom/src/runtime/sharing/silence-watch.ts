import type { FetchAnswer, FetchInit } from '@loom/client';
import { findWriter } from '@loom/data-folder';
import type { Writer } from '@loom/data-folder';
import type { Clock } from '@loom/kernel';
import { systemClock } from '../system-clock.ts';

/** The time, in milliseconds, after which the other process is asked for a sign of life, and the time it gets to give one. */
const patience = 4000;
const answerTime = 1000;

export interface SilenceOptions {
  dataDir: string;
  note: (text: string) => void;
  clock?: Clock;
  /** Finds the process that has the folder. */
  find?: (dataDir: string) => Promise<Writer | undefined>;
  /** Asks that process for any answer. */
  probe?: (writer: Writer) => Promise<unknown>;
}

/**
 * Watches the process that has the data folder while this one waits for it, and says once when it gives no sign of life. A process
 * that was stopped keeps its socket, so requests to it neither fail nor end. One that is busy answers the probe.
 */
export class SilenceWatch {
  readonly #options: Required<SilenceOptions>;
  #waiting = 0;
  #stop = (): void => {};
  #isAsking = false;
  /** The process that was asked and has not answered yet. */
  #silent: Writer | undefined;
  #isTold = false;

  constructor({ clock = systemClock, find = findWriter, probe = askForLife, ...rest }: SilenceOptions) {
    this.#options = { ...rest, clock, find, probe };
  }

  /** Makes a request to the other process. */
  async during<Result>(request: () => Promise<Result>): Promise<Result> {
    const end = this.begin();
    try {
      return await request();
    } finally {
      end();
    }
  }

  /** The `fetch` of a client of the other process. */
  readonly fetch = (url: string, init: FetchInit): Promise<FetchAnswer> => this.during(() => fetch(url, init));

  /** Starts a wait; returns a function that ends it. */
  begin(): () => void {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#wait();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#stop();
    };
  }

  #wait(): void {
    this.#stop = this.#options.clock.after(patience, () => this.#probe());
  }

  #probe(): void {
    // One that was never answered is answered first when the process goes on.
    if (!this.#isAsking) void this.#ask();
    this.#stop = this.#options.clock.after(answerTime, () => {
      if (this.#silent !== undefined && !this.#isTold) {
        this.#isTold = true;
        this.#options.note(silenceOf(this.#silent));
      }
      this.#wait();
    });
  }

  async #ask(): Promise<void> {
    const { dataDir, find, probe } = this.#options;
    this.#isAsking = true;
    const writer = await find(dataDir).catch(() => undefined);
    if (writer !== undefined && writer.pid !== process.pid) {
      this.#silent = writer;
      // That it refuses is a sign of life, too.
      await probe(writer).catch(() => {});
      this.#silent = undefined;
      this.#isTold = false;
    }
    this.#isAsking = false;
  }
}

function silenceOf({ pid }: Writer): string {
  return (
    `Process ${pid} has the data folder open and does not answer; waiting for it.\n` +
    `If it was stopped, continue it: kill -CONT ${pid}. If it hangs, end it: kill -9 ${pid} (everything it acknowledged is kept).\n`
  );
}

async function askForLife({ address, door }: Writer): Promise<void> {
  if (address === undefined || door === undefined) return;
  const headers = { authorization: `Bearer ${door.token}` };
  const answer = await fetch(`${address}/api/v1/health`, { headers });
  await answer.body?.cancel();
}
