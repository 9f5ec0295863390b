import { setTimeout as delay } from 'node:timers/promises';
import type { LoomEngine } from '@loom/kernel';
import type { Door } from '../../serve/door.ts';
import type { OpenedFolder } from '../opened-folder.ts';

/** The interval between checks that the last answer is over, in milliseconds. */
const oneLook = 50;
/** An answer that was heard to its end is over for its process, too, after so many milliseconds. */
const longerThanAnEnd = 300;

/**
 * Waits for the answers that this process writes for other terminals, before it gives the folder back. A turn that waits for a person does
 * not count: it stays open, and the next process goes on with it. Ctrl-C ends the process as usual.
 */
export async function finishForOthers({ engine }: OpenedFolder, note: (text: string) => void): Promise<void> {
  const { turns } = engine;
  const tell = setTimeout(() => {
    const what = turns.atWork === 1 ? 'An answer for another terminal is' : 'Answers for other terminals are';
    note(
      `${what} still being written here; this process ends after that. Ctrl-C ends it now and keeps the text so far.\n`,
    );
  }, longerThanAnEnd);
  await untilQuiet(engine);
  clearTimeout(tell);
}

/**
 * Stops letting other terminals in, and then waits for an answer that was asked for while the door closed: closing the folder would
 * interrupt it.
 */
export async function closeDoor(engine: LoomEngine, door: Pick<Door, 'close'> | undefined): Promise<void> {
  await door?.close();
  await untilQuiet(engine);
}

/** Waits until no turn goes on without a person. */
export async function untilQuiet({ turns }: LoomEngine): Promise<void> {
  while (turns.atWork > 0) await delay(oneLook);
}
