import {
  blobReferences,
  forestLogName,
  headOfRoot,
  isHomeLog,
  isWrongHead,
  readHeads,
  rootCodec,
} from '@loom/kernel/logs';
import { isAboutOneLog, StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { RootState } from '@loom/kernel';
import { digestRoot } from '@loom/node-files';
import type { Examination, Finding } from './examination.ts';
import { brokenLogOf, lostLogOf } from './examination.ts';
import type { ExaminedFolder } from './examine-folder.ts';

/**
 * Reduces every log from its first change on, and compares the result with the kernel's state from its snapshot and with the head that lists show.
 * Returns the cited blobs.
 */
export async function examineLogs(
  { forest, store }: ExaminedFolder,
  examination: Examination,
  progress: (done: number, all: number) => void,
): Promise<Set<string>> {
  const cited = new Set<string>();
  const roots = await forest.roots();
  const heads = await readHeads(store);
  for (const [index, root] of roots.entries()) {
    progress(index, roots.length);
    const { findings } = examination;
    // A log that was found broken before cannot be reduced.
    if (findings.some((finding) => brokenLogOf(finding) === root)) continue;
    try {
      const contents = await store.read(root, 0);
      if (contents === undefined) {
        findings.push({ type: 'missing-log', root });
        continue;
      }
      const state = new RootState(root);
      for (const { text } of contents.records) {
        const changes = rootCodec.decode(text);
        for (const change of changes) state.apply(change);
        for (const blob of blobReferences(changes, text).cited) cited.add(blob);
      }
      examination.nodes += state.nodes.size;
      for (const finding of findings) {
        if (finding.type === 'store' && lostLogOf(finding) === root) finding.nodes = state.nodes.size;
      }
      const log = forest.log(root);
      const isSame = digestRoot(await log.state()).everything === digestRoot(state).everything;
      if (!isSame) findings.push(await dropSnapshot({ store, root, epoch: contents.epoch, seq: state.seq }));
      await log.release();
      const head = heads.get(root);
      if (head !== undefined && isWrongHead(head, state)) findings.push(await renewHead(store, state, contents.epoch));
    } catch (error) {
      // A full disk or a busy database says nothing about the data.
      if (error instanceof StoreError && !isAboutOneLog(error)) throw error;
      findings.push({ type: 'unreadable-log', root, error });
    }
  }
  examination.roots = roots.length;
  examination.findings.push(...(await findUnlisted(store, new Set(roots))));
  return cited;
}

/** Conversations that the list does not name, as when an older list was put back or an import cut short. One without messages was never acknowledged. */
async function findUnlisted(store: Store, listed: ReadonlySet<string>): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const log of await store.logs()) {
    if (log === forestLogName || isHomeLog(log) || listed.has(log)) continue;
    const nodes = await countNodes(store, log);
    if (nodes > 0) found.push({ type: 'unlisted-log', root: log, nodes });
  }
  return found;
}

/** Counts no nodes of an unreadable log: that was found before. */
async function countNodes(store: Store, log: string): Promise<number> {
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
  store: Store;
  root: string;
  epoch: string;
  seq: number;
}): Promise<Finding> {
  // One without parts is as good as none, and the next one is made from the log.
  await store.writeProjection(root, 'state', { epoch, seq, base: undefined, put: [], drop: [] });
  return { type: 'wrong-snapshot', root };
}

/** A head is only written with a change: this one changes nothing, and has the time of the one before it. */
async function renewHead(store: Store, state: RootState, epoch: string): Promise<Finding> {
  const { id: root, seq: expectedSeq, updated: time } = state;
  const seq = expectedSeq + 1;
  const ops = [{ type: 'counters-raised' as const, node: 0, blocks: {}, others: 0 }];
  const change = { seq, time, agent: 'loom:doctor', request: `head-${seq}`, ops };
  state.apply(change);
  const records = [{ seq, text: rootCodec.encode(change) }];
  await store.append(root, { epoch, expectedSeq, records, head: headOfRoot(state) });
  return { type: 'wrong-head', root };
}
