import type { TextSplice } from '@loom/blocks';
import type { BlockText, LoggedEdit, SeedRun, UnitFlip } from '@loom/blocks/document';
import { TextWindow } from './text-window.ts';

/** Makes a text document; known once the editor is loaded. */
export type OpenText = (seed: string, runs: readonly SeedRun[]) => BlockText;

/** One thing that happened to a text since it is a document. */
export type TextEntry =
  | { type: 'edit'; edit: LoggedEdit }
  | { type: 'flip'; flip: Omit<UnitFlip, 'splices'> }
  | { type: 'cut'; offset: number };

/** The data of a text that was opened as a document; most never are, and have no place for it. */
interface Opened {
  seed: string | undefined;
  /** The entries that the document has not taken in yet. */
  entries: TextEntry[];
  /** The entries that no snapshot holds yet, if snapshots are made, and the keys of the parts that hold the rest. */
  unsaved: TextEntry[] | undefined;
  saved: string[];
  document: BlockText | undefined;
  /** The document while it is being built, and how many of the entries it has taken in. */
  building: { document: BlockText; told: number } | undefined;
  window: TextWindow | undefined;
  editors: Set<string>;
}

/**
 * The root's knowledge about the text of one block beyond the text itself: the appends of each agent, and, from the first
 * other edit on, everything that a text document is made of. The document itself is only built for an edit.
 */
export class TextHistory {
  /** The version of the block since which its text has only been edited: updates made for an earlier one do not fit. */
  since: number;
  readonly #isKept: boolean;
  /** Most texts have one at most, and no list for it. */
  #runs: SeedRun | SeedRun[] | undefined;
  #opened: Opened | undefined;

  /** `isKept`: edits stay here until a snapshot has been made of them. */
  constructor(since = 1, isKept = false) {
    this.since = since;
    this.#isKept = isKept;
  }

  /** True if the text was edited other than by appends. From then on every change of it carries an update. */
  get hasDocument(): boolean {
    return this.#opened?.seed !== undefined;
  }

  /** True if the text was neither appended to nor edited. It may have been opened. */
  get isUntouched(): boolean {
    return !this.hasDocument && this.#runs === undefined;
  }

  /** Returns true if any agent but this one has written into the text. */
  isEditedByOthers(agent: string | undefined): boolean {
    const editors = [...(this.#opened?.editors ?? [])];
    return this.#allRuns.some((run) => run.agent !== agent) || editors.some((editor) => editor !== agent);
  }

  /** Returns true if another agent's words were put behind those of a unit that was appending. */
  isOvertaken(agent: string, unit: string): boolean {
    const isOwn = (run: SeedRun): boolean => run.agent === agent && run.unit === unit;
    const last = this.#lastRun;
    return last !== undefined && !isOwn(last) && this.#allRuns.some(isOwn);
  }

  /** Notes that text was added to the end while there was no document. */
  append(agent: string, unit: string, at: number, length: number): void {
    if (length === 0) return;
    // A document may have been opened already, with a text that was too short.
    this.#opened = undefined;
    const last = this.#lastRun;
    if (last !== undefined && last.agent === agent && last.unit === unit && last.at + last.length === at) {
      this.#lastRun = { agent: last.agent, unit: last.unit, at: last.at, length: last.length + length };
    } else if (last === undefined) {
      this.#runs = { agent, unit, at, length };
    } else {
      const run = { agent, unit, at, length };
      if (Array.isArray(this.#runs)) this.#runs.push(run);
      else this.#runs = [last, run];
    }
  }

  /** From now on the text is a document, which begins with what the block says. */
  begin(text: string): void {
    this.#open().seed ??= text;
  }

  /** Returns the text after an edit, given the text before it. */
  spliceText(before: string, splices: readonly TextSplice[]): string {
    const opened = this.#open();
    opened.window ??= new TextWindow(before);
    opened.window.splice(splices);
    return opened.window.text;
  }

  /** Part of the text, which the caller has loaded. */
  slice(text: string, from: number, to: number): string {
    const opened = this.#open();
    opened.window ??= new TextWindow(text);
    return opened.window.slice(from, to);
  }

  applyEdit(edit: LoggedEdit): void {
    const opened = this.#open();
    opened.editors.add(edit.agent);
    if (opened.document !== undefined) opened.document.applyEdit(edit);
    note(opened, { type: 'edit', edit });
  }

  applyFlip(flip: Omit<UnitFlip, 'splices'>): void {
    const opened = this.#open();
    if (opened.document !== undefined) opened.document.applyFlip(flip);
    note(opened, { type: 'flip', flip });
  }

  /** The beginning of the text went to another block, at a version; clients have to open it again. */
  cut(offset: number, version: number): void {
    this.since = version;
    const opened = this.#open();
    opened.window = undefined;
    if (opened.document !== undefined) opened.document.cut(offset);
    note(opened, { type: 'cut', offset });
  }

  /** The number of entries that the document has not taken in yet, if it is asked for. */
  get untold(): number {
    const { entries = [], building } = this.#opened ?? {};
    return entries.length - (building?.told ?? 0);
  }

  /** The document, built if it was not there. `text` is what the block says now. */
  open(create: OpenText, text: string): BlockText {
    return this.build(create, text).document;
  }

  /** Builds the document by some entries more, or by all. */
  build(create: OpenText, text: string, count = Infinity): { document: BlockText; isWhole: boolean } {
    const opened = this.#open();
    if (opened.document !== undefined) return { document: opened.document, isWhole: true };
    const { document, told } = opened.building ?? { document: create(opened.seed ?? text, this.#allRuns), told: 0 };
    // Removed while it takes something in: one that fails at that is built again.
    opened.building = undefined;
    const end = Math.min(opened.entries.length, told + count);
    document.applyTogether(() => {
      for (const entry of opened.entries.slice(told, end)) tellEntry(document, entry);
    });
    if (end < opened.entries.length) {
      opened.building = { document, told: end };
      return { document, isWhole: false };
    }
    opened.entries = [];
    opened.document = document;
    return { document, isWhole: true };
  }

  get #allRuns(): readonly SeedRun[] {
    if (this.#runs === undefined) return [];
    return Array.isArray(this.#runs) ? this.#runs : [this.#runs];
  }

  get #lastRun(): SeedRun | undefined {
    return Array.isArray(this.#runs) ? this.#runs.at(-1) : this.#runs;
  }

  set #lastRun(run: SeedRun) {
    if (Array.isArray(this.#runs)) this.#runs[this.#runs.length - 1] = run;
    else this.#runs = run;
  }

  /**
   * Returns the data that a snapshot has to keep beside the edits; those that were unsaved so far will be in the part with
   * `key`.
   */
  dump(key: string | undefined): TextHistoryDump {
    const { seed, editors } = this.#opened ?? {};
    return {
      since: this.since,
      ...(this.#runs === undefined ? {} : { runs: this.#allRuns }),
      ...(seed === undefined
        ? {}
        : { seed, editors: [...(editors ?? [])], edits: key === undefined ? this.saved : [...this.saved, key] }),
    };
  }

  /** The edits that no snapshot holds yet, the oldest first. */
  get unsaved(): readonly TextEntry[] {
    return this.#opened?.unsaved ?? [];
  }

  /** The parts of snapshots that hold the other edits, in order. */
  get saved(): readonly string[] {
    return this.#opened?.saved ?? [];
  }

  /** Notes that so many of the unsaved edits are in a part of a snapshot now. */
  noteSaved(count: number, key: string): void {
    this.#opened?.unsaved?.splice(0, count);
    this.#opened?.saved.push(key);
  }

  /** The history that was dumped, with all the edits of its parts. */
  static load({ since, runs, seed, editors = [], edits = [] }: TextHistoryDump, entries: TextEntry[]): TextHistory {
    const history = new TextHistory(since, true);
    history.#runs = runs?.length === 1 ? runs[0] : runs && [...runs];
    if (seed === undefined) return history;
    Object.assign(history.#open(), { seed, entries, saved: [...edits], editors: new Set(editors) });
    return history;
  }

  #open(): Opened {
    this.#opened ??= {
      seed: undefined,
      entries: [],
      unsaved: this.#isKept ? [] : undefined,
      saved: [],
      document: undefined,
      building: undefined,
      window: undefined,
      editors: new Set(),
    };
    return this.#opened;
  }
}

/** A history as snapshots keep it. */
export interface TextHistoryDump {
  since: number;
  runs?: readonly SeedRun[];
  seed?: string;
  editors?: readonly string[];
  /** The keys of the parts that hold its edits, in order. */
  edits?: readonly string[];
}

function tellEntry(document: BlockText, entry: TextEntry): void {
  if (entry.type === 'edit') document.applyEdit(entry.edit);
  else if (entry.type === 'flip') document.applyFlip(entry.flip);
  else document.cut(entry.offset);
}

function note({ document, entries, unsaved }: Opened, entry: TextEntry): void {
  if (document === undefined) entries.push(entry);
  unsaved?.push(entry);
}
