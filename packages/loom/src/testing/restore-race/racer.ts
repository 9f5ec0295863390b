// Writes to a data folder, or restores it, as ordered by each input line, and answers each with a line.
import { mkdirSync, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { importArchive } from '@loom/stores/archive';
import { readLines } from '../../archive/archive-file.ts';
import { asOnlyWriter, openStore } from '@loom/data-folder';
import { listIds } from '../../runtime/conversations.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { fakeTerminal, runInside } from '../fake-terminal.ts';
import { takeCarelessLock } from './careless-lock.ts';

/** The file to start a racer with. */
export const racerProgram = import.meta.filename;

export const racerOrder = z.strictObject({
  dataDir: z.string(),
  store: z.enum(STORE_KINDS),
  /** Tells if the faults that the race must find are planted. */
  manner: z.enum(['sound', 'faulty']),
  what: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('say'), text: z.string() }),
    z.strictObject({ type: z.literal('restore'), archive: z.string() }),
  ]),
});

export const racerAnswer = z.strictObject({ isDone: z.boolean(), message: z.string() });

export type RacerOrder = z.infer<typeof racerOrder>;

if (import.meta.main) await race();

async function race(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const order = racerOrder.parse(JSON.parse(line));
    const answer = await (order.manner === 'sound' ? obeySoundly : obeyFaultily)(order).then(
      () => ({ isDone: true, message: '' }),
      (error: unknown) => ({ isDone: false, message: String(error) }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

/** Obeys as a sound process does. While another process has the folder it follows the advice to try again. */
async function obeySoundly({ what, dataDir, store }: RacerOrder): Promise<void> {
  const args =
    what.type === 'say'
      ? ['chat', '-p', `echo ${what.text}`]
      : ['restore-backup', what.archive, '--replace', '--store', store];
  for (let tries = 1; ; tries += 1) {
    const { code, note } = await runInside(['--data-dir', dataDir, ...args]);
    if (code === 0) return;
    if (tries === mostTries || !note.includes('is writing to')) throw new Error(note);
  }
}

const mostTries = 50;

/** Obeys as Loom once did: a lock counts wherever its file is by then, and goes away with the folder that is replaced. */
async function obeyFaultily({ what, dataDir, store }: RacerOrder): Promise<void> {
  if (what.type === 'restore') return moveFolder(what.archive, dataDir, store);
  await withWriter({ dataDir, store, lock: takeCarelessLock }, async (loom) => {
    const [root = ''] = await listIds(loom);
    const messages = [{ role: 'user' as const, content: what.text }];
    const said = await loom.call('node.append', { parent: root, messages });
    if (!said.ok) throw new Error(JSON.stringify(said.refusal));
  });
}

async function moveFolder(archive: string, dataDir: string, kind: StoreKind): Promise<void> {
  await asOnlyWriter(dataDir, { holder: 'racer', lock: takeCarelessLock }, async () => {
    const made = `${dataDir}.restore-${process.pid}`;
    mkdirSync(made);
    const store = await openStore(made, kind);
    await importArchive({ store, lines: readLines(archive, fakeTerminal().terminal) });
    await store.close();
    renameSync(dataDir, `${dataDir}.before-restore-${process.pid}-${Date.now()}`);
    renameSync(made, dataDir);
  });
}
