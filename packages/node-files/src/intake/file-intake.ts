import { z } from 'zod';
import type { Clock } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { FileEntry, FileLedger } from '../file-ledger.ts';
import { sumOf } from '../file-ledger.ts';
import { nodeOfFileName, rootFileName } from '../file-names.ts';
import type { FilesReport } from '../files-report.ts';
import { wordsForEditor } from './editor-words.ts';
import { judgeNodeFile } from './judge-node-file.ts';
import type { NodeVerdict } from './judge-node-file.ts';
import type { MergedFile } from './merged-file.ts';
import { decideNodeEdits, decideRootEdits, filesystemAgent } from './decide-edits.ts';
import { PastStates } from './past-states.ts';
import type { FileStamp } from '../node-files-port.ts';
import type { Quarantine, QuarantineReason } from './quarantine.ts';
import { judgeRootJson } from './judge-root-json.ts';
import type { RootVerdict } from './judge-root-json.ts';

/** The time for which a file that is not JSON has to stay unchanged before it is judged, in milliseconds. */
export const patience = 400;

/** The outcome for a file that another program has written. */
export type Intake =
  /** It had edits, which are in the log now; the file may be replaced. */
  | 'merged'
  /** Everything in it is in the log or in quarantine: the file may be replaced. */
  | 'replace'
  /** It is of an older generation and matches the log: it stays. */
  | 'keep'
  /** It is of a newer format, and must not be changed. */
  | 'newer'
  /** Another program may still be writing it. */
  | 'wait'
  | 'unknown';

export interface FileIntakeOptions {
  root: string;
  forest: Forest;
  store: Store;
  clock: Clock;
  quarantine: Quarantine;
  ledger: () => Promise<FileLedger>;
  report: (report: FilesReport) => void;
}

/** A file that is not known to be Loom's own version. */
export interface FoundFile {
  name: string;
  bytes: Uint8Array;
  stamp: FileStamp;
  /** Its state when it was last written. */
  entry: FileEntry | undefined;
}

/** Takes other programs' writes to the files of a root where they belong: into the log, or into quarantine. */
export class FileIntake {
  readonly #options: FileIntakeOptions;
  /** The checksums of files that were merged and not replaced yet. */
  readonly #taken = new Map<string, string>();
  /** Files that were not JSON, with the time since which they are unchanged. */
  readonly #suspects = new Map<string, { sum: string; since: number }>();

  readonly #past: PastStates;

  constructor(options: FileIntakeOptions) {
    this.#options = options;
    const { store, root, forest } = options;
    this.#past = new PastStates(store, root, forest.log(root));
  }

  /** `patient`: a file that is not JSON is given time before it is judged. */
  async take({ name, bytes, stamp, entry }: FoundFile, patient: boolean): Promise<Intake> {
    const sum = sumOf(bytes);
    if (this.#taken.get(name) === sum) return 'replace';
    const isDamaged = sum !== entry?.sum && hasTimeOf(stamp, entry);
    const verdict = isDamaged ? damaged : await this.#judge(name, bytes, entry);
    if (verdict.type === 'bad' && verdict.reason === 'json-invalid' && patient && !this.#isQuiet(name, sum))
      return 'wait';
    this.#suspects.delete(name);
    switch (verdict.type) {
      case 'unknown':
        return 'unknown';
      case 'newer': {
        const { root, report } = this.#options;
        report({ type: 'newer', root, file: `${root}/${name}`, format: verdict.format });
        return 'newer';
      }
      case 'same':
        if (verdict.isOlder) return 'keep';
        break;
      case 'bad':
        await this.#putAside(name, bytes, verdict);
        break;
      case 'edited': {
        const { root, forest, report } = this.#options;
        const decide =
          'texts' in verdict.edits
            ? decideNodeEdits(`${nodeOfFileName(root, name)}`, verdict.edits)
            : decideRootEdits(verdict.edits);
        // The same for the same edit of the same file, so that after a crash it is not made twice.
        const written = entry?.sum ?? '';
        const merged = 'merged' in verdict ? verdict.merged : undefined;
        const before = merged === undefined ? (this.#taken.get(name) ?? written) : `${written}:${merged.times}`;
        const id = `file:${name}:${before}:${sum}`;
        const outcome = await forest.change({ agent: filesystemAgent, id }, root, z.boolean(), decide);
        if (!outcome.ok) {
          await this.#putAside(name, bytes, { reason: 'refused', message: wordsForEditor(outcome.refusal) });
          break;
        }
        // Before the file is replaced: an editor may hold on to this version, and save again when this process is long gone.
        if (merged !== undefined) await this.#remember(name, merged);
        this.#taken.set(name, sum);
        if (!outcome.value) return 'replace';
        report({ type: 'merged', root, file: `${root}/${name}`, seq: outcome.cursor.seq });
        return 'merged';
      }
    }
    this.#taken.set(name, sum);
    return 'replace';
  }

  /** Quarantines a link or a folder that stands in place of a file. */
  async moveAside(name: string, path: string): Promise<void> {
    const { root, quarantine, report, clock } = this.#options;
    const message = 'it is a link, a folder or a device; only plain files are read';
    const what = { root, file: `${root}/${name}`, reason: 'not-a-file' as const, message, time: clock.now() };
    report({ type: 'quarantined', root, quarantined: await quarantine.moveAside(path, what) });
  }

  /** Notes that the file was replaced by the log's version. */
  replaced(name: string): void {
    this.#taken.delete(name);
  }

  /** Frees memory while no file waits to be merged. */
  rest(): void {
    this.#past.forget();
  }

  /** Returns true if a file has been the same for a while. */
  #isQuiet(name: string, sum: string): boolean {
    const now = this.#options.clock.now();
    const seen = this.#suspects.get(name);
    if (seen?.sum === sum) return now - seen.since >= patience;
    this.#suspects.set(name, { sum, since: now });
    return false;
  }

  async #remember(name: string, merged: MergedFile): Promise<void> {
    const ledger = await this.#options.ledger();
    ledger.keepMerged(name, merged);
    await ledger.save(ledger.seq ?? 0);
  }

  async #judge(name: string, bytes: Uint8Array, entry: FileEntry | undefined): Promise<NodeVerdict | RootVerdict> {
    const { root, forest } = this.#options;
    const log = forest.log(root);
    if (name === rootFileName) return judgeRootJson(log, bytes, entry?.seq);
    const node = nodeOfFileName(root, name) ?? name;
    const merged = (await this.#options.ledger()).merged(name);
    return judgeNodeFile(log, node, bytes, { entry, merged, past: this.#past });
  }

  async #putAside(
    name: string,
    bytes: Uint8Array,
    { reason, message }: { reason: QuarantineReason; message: string },
  ): Promise<void> {
    const { root, quarantine, report, clock } = this.#options;
    const file = `${root}/${name}`;
    const quarantined = await quarantine.keep(bytes, { root, file, reason, message, time: clock.now() });
    report({ type: 'quarantined', root, quarantined });
  }
}

/** Returns true if a file has the size and, to the millisecond, the time of its last written version. */
function hasTimeOf({ size, mtime }: FileStamp, entry: FileEntry | undefined): boolean {
  return entry?.size === size && Math.abs(entry.mtime - mtime) < 1;
}

/** Every program that writes to a file gives it another time; if only the bytes differ, the disk has changed them. */
const damaged: NodeVerdict = {
  type: 'bad',
  reason: 'damaged',
  message:
    'its bytes have changed but its size and time have not, so this is damage and not an edit; the log has what it said',
};
