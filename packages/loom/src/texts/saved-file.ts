import { readFile, stat } from 'node:fs/promises';

/** The time between two looks at a file that an editor has open, in milliseconds. */
const pause = 250;

/**
 * Calls back with the text of a file whenever an editor has saved it, one after the other. A file counts as saved when two looks find the same:
 * many editors empty it before they write. The returned function waits for the callback at work, and ends it.
 */
export function followSaves(file: string, begun: string, onSave: (text: string) => Promise<void>): () => Promise<void> {
  const end = new AbortController();
  let [last, told] = [begun, begun];
  let mark = '';
  const look = async (): Promise<void> => {
    const { mtimeMs, size } = await stat(file);
    const now = `${mtimeMs} ${size}`;
    if (now === mark && last === told) return;
    mark = now;
    const text = await readFile(file, 'utf8');
    const isSettled = text === last;
    last = text;
    if (!isSettled || text === told) return;
    told = text;
    await onSave(text);
  };
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      // An editor that puts a new file in the place of the old one leaves a moment without any; what fails is tried again at the end.
      await look().catch(() => {});
      await new Promise((resolve) => void setTimeout(resolve, pause));
    }
  };
  const running = run();
  return async () => {
    end.abort();
    await running;
  };
}
