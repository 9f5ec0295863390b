import { setTimeout as delay } from 'node:timers/promises';
import { FolderError } from '@loom/data-folder/files';
import { defineOperation } from '@loom/kernel';
import type { LoomEngine, Operation } from '@loom/kernel';
import { z } from 'zod';
import { openWriter, printNote, type LoomOptions, type OpenedFolder } from '../opened-folder.ts';
import { untilQuiet } from './answers-for-others.ts';
import { findPlace } from './held-folder.ts';
import { SilenceWatch } from './silence-watch.ts';

/** The longest time for a process to take a folder it was given, in milliseconds. */
const takingTime = 5000;
/** The interval between looks at the owner of the folder, in milliseconds. */
const oneLook = 50;
/** The time, in milliseconds, after which a note says what is being waited for. */
const patience = 500;

const operationName = 'folder.hand_over';

/**
 * Lets a process that is there to serve get the folder from one that only happens to have it, such as a chat. The operation returns once no
 * answer is being written; `handOver` comes after that.
 */
export function handOverOperation(handOver: () => Promise<void>): Operation {
  return defineOperation({
    name: operationName,
    summary: 'Hands the data folder over to a process that is about to serve it, once no answer is being written.',
    params: () => z.strictObject({}),
    result: () => z.null(),
    effect: 'changes',
    role: 'owner',
    doors: ['http'],
    run: async (engine: LoomEngine) => {
      await untilQuiet(engine);
      setImmediate(() => void handOver());
      return { ok: true, value: null };
    },
  });
}

/** Waits until another process has a folder that was handed over; not forever, since it may have been killed. */
export async function untilTaken(dataDir: string): Promise<void> {
  const deadline = performance.now() + takingTime;
  while (performance.now() < deadline && (await findPlace(dataDir)) === undefined) await delay(oneLook);
}

/** Opens a folder to serve it: as its only writer, after the process that has it has handed it over if it does that. */
export async function takeForServing(options: LoomOptions): Promise<OpenedFolder> {
  let deadline = Infinity;
  for (;;) {
    try {
      return await openWriter(options);
    } catch (error) {
      const isHeld = error instanceof FolderError && error.code === 'locked';
      if (!isHeld || performance.now() > deadline || !(await askFor(options))) throw error;
      if (deadline === Infinity) deadline = performance.now() + takingTime;
      await delay(oneLook);
    }
  }
}

/** Returns true if the process that has a folder gives it away, or has ended meanwhile. */
async function askFor({ dataDir, note = printNote }: LoomOptions): Promise<boolean> {
  const place = await findPlace(dataDir);
  if (place === undefined) return false;
  const tell = setTimeout(
    () =>
      note(
        'Waiting for the process that has the data folder open: it hands the folder over once its answers are complete.\n',
      ),
    patience,
  );
  const silence = new SilenceWatch({ dataDir, note });
  try {
    const answer = await silence.during(() =>
      fetch(`${place.url}/api/v1/${operationName}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
        body: '{}',
      }),
    );
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return true;
  } finally {
    clearTimeout(tell);
  }
}
