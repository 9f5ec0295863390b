import type { TextSplice } from '@loom/blocks';
import type { BlockText, LoggedEdit, SeedRun, UnitFlip } from '@loom/blocks/document';
import { TextWindow } from './text-window.ts';

/** How a text document is made; known once somebody has loaded what it takes. */
export type OpenText = (seed: string, runs: readonly SeedRun[]) => BlockText;

type Entry =
  | { type: 'edit'; edit: LoggedEdit }
  | { type: 'flip'; flip: Omit<UnitFlip, 'splices'> }
  | { type: 'cut'; offset: number };

/**
 * What a root knows about the text of one block beyond the text itself: who appended what, and, from the first other edit
 * on, everything that a text document is made of. The document itself is only built when somebody edits.
 */
export class TextHistory {
  /** The version of the block since which its text has only been edited: updates made for an earlier one do not fit. */
  since: number;
  readonly #runs: SeedRun[] = [];
  #seed: string | undefined;
  #entries: Entry[] = [];
  #document: BlockText | undefined;
  #window: TextWindow | undefined;
  #editors: Set<string> | undefined;

  constructor(since = 1) {
    this.since = since;
  }

  /** Whether the text was edited other than by appends. From then on every change of it carries an update. */
  get hasDocument(): boolean {
    return this.#seed !== undefined;
  }

  /** Whether nobody has appended to the text nor edited it. Somebody may have opened it. */
  get isUntouched(): boolean {
    return this.#seed === undefined && this.#runs.length === 0;
  }

  /** Whether somebody else than one agent has written into the text. */
  isEditedByOthers(agent: string | undefined): boolean {
    return (
      this.#runs.some((run) => run.agent !== agent) || [...(this.#editors ?? [])].some((editor) => editor !== agent)
    );
  }

  /** Whether a unit that was appending has since had somebody else's words put behind its own. */
  isOvertaken(agent: string, unit: string): boolean {
    const isOwn = (run: SeedRun): boolean => run.agent === agent && run.unit === unit;
    const last = this.#runs.at(-1);
    return last !== undefined && !isOwn(last) && this.#runs.some(isOwn);
  }

  /** Text was added to the end while there was no document. */
  append(agent: string, unit: string, at: number, length: number): void {
    if (length === 0) return;
    // Somebody may have looked at a document already; what it began with was too short.
    this.#document = undefined;
    this.#window = undefined;
    const last = this.#runs.at(-1);
    if (last !== undefined && last.agent === agent && last.unit === unit && last.at + last.length === at) {
      this.#runs[this.#runs.length - 1] = { ...last, length: last.length + length };
    } else {
      this.#runs.push({ agent, unit, at, length });
    }
  }

  /** From now on the text is a document, which begins with what the block says. */
  begin(text: string): void {
    this.#seed ??= text;
  }

  /** What the text is after an edit, of what it was before. */
  spliceText(before: string, splices: readonly TextSplice[]): string {
    this.#window ??= new TextWindow(before);
    this.#window.splice(splices);
    return this.#window.text;
  }

  /** Part of the text, which the caller has at hand. */
  slice(text: string, from: number, to: number): string {
    return this.#window?.slice(from, to) ?? this.#document?.slice(from, to) ?? text.slice(from, to);
  }

  applyEdit(edit: LoggedEdit): void {
    this.#editors ??= new Set();
    this.#editors.add(edit.agent);
    if (this.#document === undefined) this.#entries.push({ type: 'edit', edit });
    else this.#document.applyEdit(edit);
  }

  applyFlip(flip: Omit<UnitFlip, 'splices'>): void {
    if (this.#document === undefined) this.#entries.push({ type: 'flip', flip });
    else this.#document.applyFlip(flip);
  }

  /** The beginning of the text went to another block, at a version; clients have to open it anew. */
  cut(offset: number, version: number): void {
    this.since = version;
    this.#window = undefined;
    if (this.#document === undefined) this.#entries.push({ type: 'cut', offset });
    else this.#document.cut(offset);
  }

  /** The document, built if it was not there. `text` is what the block says now. */
  open(create: OpenText, text: string): BlockText {
    if (this.#document !== undefined) return this.#document;
    const document = create(this.#seed ?? text, this.#runs);
    for (const entry of this.#entries) {
      if (entry.type === 'edit') document.applyEdit(entry.edit);
      else if (entry.type === 'flip') document.applyFlip(entry.flip);
      else document.cut(entry.offset);
    }
    this.#entries = [];
    this.#document = document;
    return document;
  }
}
