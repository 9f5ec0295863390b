import { join } from 'node:path';
import { nodeJson } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import type { RootLog } from '@loom/kernel/logs';
import { isDenied } from '@loom/stores/disk';
import { isAsLeft } from './changed-files.ts';
import { linksOf } from '../writing/dirty-nodes.ts';
import type { DirtyNodes } from '../writing/dirty-nodes.ts';
import type { DirtyRootJson } from '../writing/dirty-root-json.ts';
import type { FileIntake } from './file-intake.ts';
import { readObject } from './judge-node-file.ts';
import { sumOf } from '../file-ledger.ts';
import type { FileEntry, FileLedger } from '../file-ledger.ts';
import { nodeFileName, nodeOfFileName, rootFileName, temporaryEnd } from '../file-names.ts';
import type { RootPaths } from '../file-names.ts';
import { toJsonBytes } from '../writing/file-replacement.ts';
import type { FilesReport } from '../files-report.ts';
import { listFolder, requireFolder } from '../node-files-port.ts';
import { formatOfNode } from '../newer-format.ts';
import { compareNames } from '../node-order.ts';
import type { FileStamp, NodeFilesPort } from '../node-files-port.ts';
import type { RootJson } from '../writing/root-json-content.ts';

export interface RootFolderCheckOptions {
  root: string;
  paths: RootPaths;
  files: NodeFilesPort;
  log: RootLog;
  ledger: FileLedger;
  intake: FileIntake;
  dirty: { nodes: DirtyNodes; root: DirtyRootJson };
  /** Returns the time to look again at a file that another program may still be writing. */
  later: () => number;
  report: (report: FilesReport) => void;
  described: (json: RootJson) => void;
}

/** Compares the files of a root with the ledger and the log. It only marks the files that need writing. */
export class RootFolderCheck {
  readonly #options: RootFolderCheckOptions;

  constructor(options: RootFolderCheckOptions) {
    this.#options = options;
  }

  /** Examines every file. One with an unchanged size and time is only read if the check is `thorough`. */
  async all(thorough: boolean): Promise<void> {
    const { paths, files, log, ledger, dirty } = this.#options;
    await this.#requireFolders();
    const stamps = await files.stampAll(paths.nodes);
    await this.#sweep(paths.folder, await listFolder(files, paths.folder));
    await this.#sweep(paths.nodes, stamps.keys());
    const suspects: [NodePlace, FileStamp][] = [];
    const { cursor } = await log.read((state) => {
      dirty.nodes.leaveToOthers();
      for (const [id, node] of state.nodes) {
        const name = nodeFileName(state.id, id);
        if (name === undefined) continue;
        const file = name.slice('nodes/'.length);
        const stamp = stamps.get(file);
        stamps.delete(file);
        const entry = ledger.get(name);
        const [seq, links] = [node.touched, linksOf(state, id, node.parent)];
        if (stamp === undefined) dirty.nodes.add(id);
        else if (thorough || !isUntouched(ledger, name, entry, stamp)) suspects.push([{ id, name, seq, links }, stamp]);
        else if (entry?.seq !== seq || entry.links !== links) dirty.nodes.add(id);
      }
    });
    if (cursor.seq === 0) return;
    let hasOlderForm = false;
    // Mostly the order of their seqs, which makes looking back cheap.
    suspects.sort(([a], [b]) => compareNames(a.name, b.name));
    // An unreadable file does not keep the others from being read.
    const denied: unknown[] = [];
    for (const [node, stamp] of suspects) {
      const isOlder = await this.#node(node, stamp).catch((error: unknown) => {
        if (!isDenied(error)) throw error;
        denied.push(error);
        // The answer is unknown, and an older directory gets no file before its first change.
        return true;
      });
      hasOlderForm ||= isOlder;
    }
    for (const [name, stamp] of stamps) if (name.endsWith('.json')) await this.#unknown(`nodes/${name}`, stamp);
    await this.#rootFile(hasOlderForm);
    await ledger.save(ledger.seq ?? 0);
    if (denied.length > 0) throw denied[0];
  }

  /** Examines one file. */
  async one(name: string): Promise<void> {
    const { root, paths, files, log, ledger } = this.#options;
    await this.#requireFolders();
    if (name === rootFileName) return this.#rootFile(false);
    const stamp = await files.stamp(join(paths.folder, name));
    if (isUntouched(ledger, name, ledger.get(name), stamp)) return;
    const id = nodeOfFileName(root, name);
    const { value: node } = await log.read((state) => (id === undefined ? undefined : describeNode(state, id)));
    if (node !== undefined) await this.#node(node, stamp);
    else if (stamp !== undefined) await this.#unknown(name, stamp);
  }

  async #requireFolders(): Promise<void> {
    const { paths, files } = this.#options;
    await requireFolder(files, paths.folder);
    await requireFolder(files, paths.nodes);
  }

  /** Temporary files left by a crash are worthless: the log has their content. */
  async #sweep(folder: string, names: Iterable<string>): Promise<void> {
    const { files } = this.#options;
    for (const name of names) if (name.endsWith(temporaryEnd)) await files.remove(join(folder, name));
  }

  /** Leaves a file alone that the log does not know; no node ever gets its name. */
  async #unknown(name: string, { kind }: FileStamp): Promise<void> {
    const { root, paths, files, log, report } = this.#options;
    const file = join(root, name);
    const bytes = kind === 'file' ? await files.read(join(paths.folder, name)).catch(reasonIfDenied) : undefined;
    const reading = typeof bytes === 'object' ? readObject(bytes, formatOfNode) : undefined;
    if (reading?.ok === false && reading.verdict.type === 'newer') {
      report({ type: 'newer', root, file, format: reading.verdict.format });
    } else {
      report({ type: 'unknown', root, file, ...(typeof bytes === 'string' ? { denied: bytes } : {}) });
    }
    const id = nodeOfFileName(root, name);
    if (id !== undefined) await log.read((state) => state.reserveNodeId(id));
  }

  /** Returns true if the file has the form of an older generation. */
  async #node(node: NodePlace, stamp: FileStamp | undefined): Promise<boolean> {
    const { paths, files, log, ledger, intake, dirty, later } = this.#options;
    const { id, name } = node;
    const path = join(paths.folder, name);
    if (stamp?.kind !== 'file') {
      // A missing file does not mean a deletion, since only the log deletes; anything else in its place is quarantined when it is written.
      dirty.nodes.add(id);
      return false;
    }
    const bytes = await files.read(path);
    const sum = sumOf(bytes);
    const entry = ledger.get(name);
    const accept = (): void => {
      ledger.put(name, { sum, size: stamp.size, mtime: stamp.mtime, seq: node.seq, links: node.links });
    };
    const own = [entry, ledger.intended(name)].find((known) => known?.sum === sum);
    if (own !== undefined && !ledger.isEditedSince(name, own)) {
      ledger.put(name, { ...own, size: stamp.size, mtime: stamp.mtime });
      if (own.seq !== node.seq || own.links !== node.links) dirty.nodes.add(id);
      return false;
    }
    const { value: json } = await log.read((state) => nodeJson(state, id));
    if (json?.metadata.seq === node.seq && sum === sumOf(toJsonBytes(json))) {
      accept();
      return false;
    }
    const intakeResult = await intake.take({ name, bytes, stamp, entry }, true);
    if (intakeResult === 'keep') accept();
    else dirty.nodes.add(id, intakeResult === 'wait' ? later() : 0);
    return intakeResult === 'keep';
  }

  async #rootFile(hasOlderForm: boolean): Promise<void> {
    const { paths, files, log, ledger, intake, dirty, later, described } = this.#options;
    const path = join(paths.folder, rootFileName);
    const stamp = await files.stamp(path);
    const entry = ledger.get(rootFileName);
    if (stamp === undefined && (entry?.sum === '' || (entry === undefined && hasOlderForm))) {
      // Opening an older directory adds nothing to it. The file comes with the first change.
      if (entry === undefined) ledger.put(rootFileName, { sum: '', size: 0, mtime: 0, seq: 0, links: '' });
      return;
    }
    if (stamp?.kind !== 'file') return dirty.root.add();
    const bytes = await files.read(path);
    const { cursor, value: now } = await log.read((state) => dirty.root.describe(state));
    const sum = sumOf(bytes);
    if (isText(bytes, now.text) && (entry === undefined || sum === entry.sum)) {
      ledger.put(rootFileName, { sum, size: stamp.size, mtime: stamp.mtime, seq: cursor.seq, links: '' });
      dirty.root.written(now.text);
      return described(now.json);
    }
    const intended = ledger.intended(rootFileName);
    if (sum === intended?.sum) ledger.put(rootFileName, { ...intended, size: stamp.size, mtime: stamp.mtime });
    if (sum === entry?.sum || sum === intended?.sum) return dirty.root.add();
    const intakeResult = await intake.take({ name: rootFileName, bytes, stamp, entry }, true);
    dirty.root.add(intakeResult === 'wait' ? later() : 0);
  }
}

/** Returns true if a file is untouched, judging without reading it. */
function isUntouched(
  ledger: FileLedger,
  name: string,
  entry: FileEntry | undefined,
  stamp: FileStamp | undefined,
): boolean {
  return isAsLeft(stamp, entry) && (entry === undefined || !ledger.isEditedSince(name, entry));
}

function reasonIfDenied(error: unknown): string {
  if (error instanceof Error && isDenied(error)) return error.message;
  throw error;
}

interface NodePlace {
  id: string;
  name: string;
  seq: number;
  links: string;
}

function describeNode(state: RootState, id: string): NodePlace | undefined {
  const node = state.nodes.get(id);
  const name = nodeFileName(state.id, id);
  if (node === undefined || name === undefined) return undefined;
  return { id, name, seq: node.touched, links: linksOf(state, id, node.parent) };
}

/** Returns true if a root's own file equals a text that leaves its seq out. */
function isText(bytes: Uint8Array, text: string): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && JSON.stringify({ ...value, seq: 0 }) === text;
  } catch {
    return false;
  }
}
