import { isAboutOneLog, rootCodec, RootState, StoreError } from '@loom/kernel';
import { digestRoot } from '@loom/stores/node-files';
import { count } from '../progress.ts';
import { blobsIn } from '../purge/cited-blobs.ts';
import type { Loom } from '../runtime/open-loom.ts';
import type { Examination, Finding } from './examination.ts';

/**
 * Reduces every log from its first change on, and compares what comes out with what the kernel finds by its snapshot. Answers the
 * blobs that are cited.
 */
export async function examineLogs(
  { engine, store }: Loom,
  examination: Examination,
  progress: (done: number, all: number) => void,
): Promise<Set<string>> {
  const cited = new Set<string>();
  const roots = await engine.forest.roots();
  for (const [index, root] of roots.entries()) {
    progress(index, roots.length);
    const { findings } = examination;
    // A log that was found broken before cannot be reduced.
    if (findings.some(({ what, where, state }) => what === 'log' && where === root && state === 'broken')) continue;
    try {
      const contents = await store.read(root, 0);
      if (contents === undefined) {
        findings.push({ what: 'log', where: root, message: 'it is listed, but has no log', state: 'broken' });
        continue;
      }
      const state = new RootState(root);
      for (const { text } of contents.records) {
        const changes = rootCodec.decode(text);
        for (const change of changes) state.apply(change);
        for (const blob of blobsIn(changes)) cited.add(blob);
      }
      examination.nodes += state.nodes.size;
      for (const finding of findings) {
        const isLost = finding.what === 'lost-log' && finding.where === root;
        if (isLost) finding.message += ` It has ${count(state.nodes.size, 'message')} now.`;
      }
      const log = engine.forest.log(root);
      const isSame = digestRoot(await log.state()).everything === digestRoot(state).everything;
      if (!isSame) findings.push(await dropSnapshot({ store, root, epoch: contents.epoch, seq: state.seq }));
      await log.unload();
    } catch (error) {
      // A full disk or a busy database says nothing about the data.
      if (error instanceof StoreError && !isAboutOneLog(error)) throw error;
      findings.push({ what: 'log', where: root, message: describe(error), state: 'broken' });
    }
  }
  examination.roots = roots.length;
  return cited;
}

async function dropSnapshot({
  store,
  root,
  epoch,
  seq,
}: {
  store: Loom['store'];
  root: string;
  epoch: string;
  seq: number;
}): Promise<Finding> {
  // One without parts is as good as none, and the next one is made from the log.
  await store.writeProjection(root, 'state', { epoch, seq, base: undefined, put: [], drop: [] });
  const message = 'its snapshot did not say what its log says; it was thrown away and is made again';
  return { what: 'snapshot', where: root, message, state: 'mended' };
}

function describe(error: unknown): string {
  if (error instanceof StoreError) return `${error.message}. ${error.advice}`;
  return `its changes do not fit together: ${error instanceof Error ? error.message : String(error)}`;
}
