import { forestLogName, headOfRoot, isWrongHead, readHeads, rootCodec } from '@loom/kernel/logs';
import { isAboutOneLog, StoreError } from '@loom/kernel/store';
import { RootState } from '@loom/kernel';
import { digestRoot } from '@loom/node-files';
import { count } from '../progress.ts';
import { blobsIn } from '@loom/data-folder/upkeep';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import type { Examination, Finding } from './examination.ts';

/**
 * Reduces every log from its first change on, and compares what comes out with what the kernel finds by its snapshot and what lists
 * show by its head. Answers the blobs that are cited.
 */
export async function examineLogs(
  { engine, store }: OpenedFolder,
  examination: Examination,
  unlistedAdvice: string,
  progress: (done: number, all: number) => void,
): Promise<Set<string>> {
  const cited = new Set<string>();
  const roots = await engine.forest.roots();
  const heads = await readHeads(store);
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
      await log.release();
      const head = heads.get(root);
      if (head !== undefined && isWrongHead(head, state)) findings.push(await renewHead(store, state, contents.epoch));
    } catch (error) {
      // A full disk or a busy database says nothing about the data.
      if (error instanceof StoreError && !isAboutOneLog(error)) throw error;
      findings.push({ what: 'log', where: root, message: describe(error), state: 'broken' });
    }
  }
  examination.roots = roots.length;
  examination.findings.push(...(await findUnlisted(store, new Set(roots), unlistedAdvice)));
  return cited;
}

/** Conversations that the list does not name, as when an older list was put back or an import cut short. One without messages was never acknowledged. */
async function findUnlisted(
  store: OpenedFolder['store'],
  listed: ReadonlySet<string>,
  advice: string,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const log of await store.logs()) {
    if (log === forestLogName || listed.has(log)) continue;
    const nodes = await countNodes(store, log);
    if (nodes === 0) continue;
    const message =
      `it has ${count(nodes, 'message')}, but the list of conversations does not name it, so nothing shows it. If an import was cut short, do it again. ${advice}`.trimEnd();
    found.push({ what: 'unlisted-log', where: log, message, state: 'broken' });
  }
  return found;
}

/** None of what cannot be read: that was found before. */
async function countNodes(store: OpenedFolder['store'], log: string): Promise<number> {
  const state = new RootState(log);
  try {
    const { records = [] } = (await store.read(log, 0)) ?? {};
    for (const { text } of records) for (const change of rootCodec.decode(text)) state.apply(change);
    return state.nodes.size;
  } catch (error) {
    if (error instanceof StoreError && !isAboutOneLog(error)) throw error;
    return 0;
  }
}

async function dropSnapshot({
  store,
  root,
  epoch,
  seq,
}: {
  store: OpenedFolder['store'];
  root: string;
  epoch: string;
  seq: number;
}): Promise<Finding> {
  // One without parts is as good as none, and the next one is made from the log.
  await store.writeProjection(root, 'state', { epoch, seq, base: undefined, put: [], drop: [] });
  const message = 'its snapshot did not say what its log says; it was thrown away and is made again';
  return { what: 'snapshot', where: root, message, state: 'mended' };
}

/** A head is only written with a change: this one changes nothing, and seems to be as old as the one before it. */
async function renewHead(store: OpenedFolder['store'], state: RootState, epoch: string): Promise<Finding> {
  const { id: root, seq: expectedSeq, updated: time } = state;
  const seq = expectedSeq + 1;
  const ops = [{ type: 'counters-raised' as const, node: 0, blocks: {}, others: 0 }];
  const change = { seq, time, agent: 'loom:doctor', request: `head-${seq}`, ops };
  state.apply(change);
  const records = [{ seq, text: rootCodec.encode(change) }];
  await store.append(root, { epoch, expectedSeq, records, head: headOfRoot(state) });
  const message = 'its head, which lists are made of, did not say what its log says; it was made again';
  return { what: 'head', where: root, message, state: 'mended' };
}

function describe(error: unknown): string {
  if (error instanceof StoreError) return `${error.message}. ${error.advice}`;
  return `its changes do not fit together: ${error instanceof Error ? error.message : String(error)}`;
}
