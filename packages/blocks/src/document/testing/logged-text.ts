import type { TextSplice } from '../../text/text-splice.ts';
import { spliceText } from '../../text/text-splice.ts';
import { BlockDocument } from '../block-document.ts';
import type { BlockText, EditAuthor, LoggedEdit, SeedRun, UnitFlip, UpdateRefusal } from '../block-text.ts';
import type { IdRange } from '../id-range.ts';
import type { UndoUnit } from '../undo-units.ts';
import { toBase64 } from '../../text/base64.ts';

export type CreateText = (seed: string, runs: readonly SeedRun[]) => BlockText;

export type LogEntry =
  | { type: 'edit'; edit: LoggedEdit }
  | { type: 'flip'; flip: UnitFlip }
  | { type: 'cut'; offset: number };

/** A text document with its log, which is all that a restart has to go by: what a kernel does with it, in few words. */
export class LoggedText {
  readonly log: LogEntry[] = [];
  readonly seed: string;
  /** The text that the splices of the log give, without any document. */
  spliced: string;
  document: BlockText;
  /** A new one after every restart. */
  client = 1000;
  readonly #runs: readonly SeedRun[];
  readonly #create: CreateText;

  constructor(seed: string, runs: readonly SeedRun[], create: CreateText = (text, of) => new BlockDocument(text, of)) {
    this.seed = seed;
    this.spliced = seed;
    this.#runs = runs;
    this.#create = create;
    this.document = create(seed, runs);
  }

  /** Logs of early days have no updates of edits. */
  edit(author: EditAuthor, splices: readonly TextSplice[], hasUpdate = true): void {
    const { update, ...edit } = { ...author, client: this.client, ...this.document.planEdit(this.client, splices) };
    this.#apply({ type: 'edit', edit: hasUpdate ? { ...edit, update } : edit }, edit.splices);
  }

  append(author: EditAuthor, text: string, isStream: boolean): void {
    const edit = this.document.planAppend(author, this.client, text, isStream);
    this.#apply({ type: 'edit', edit: { ...author, client: this.client, ...edit } }, edit.splices);
  }

  flip(unit: number): void {
    const flip = this.document.planFlip(this.client, unit);
    this.#apply({ type: 'flip', flip }, flip.splices);
  }

  take(author: EditAuthor, client: number, update: Uint8Array): UpdateRefusal | { ok: true; update: string } {
    const taken = this.document.takeUpdate(author, client, update);
    if (!taken.ok) return taken;
    this.#apply({ type: 'edit', edit: { ...author, client, ...taken.edit } }, taken.edit.splices);
    return { ok: true, update: taken.edit.update };
  }

  cut(offset: number): void {
    this.#apply({ type: 'cut', offset }, [{ at: 0, delete: offset, insert: '' }]);
  }

  /** A document made of the log alone takes the place of the one that was. Returns what differs between the two. */
  restart(agents: readonly string[]): string | undefined {
    const before = this.document;
    const after = this.#create(this.seed, this.#runs);
    after.applyTogether(() => {
      for (const entry of this.log) applyEntry(after, entry);
    });
    this.document = after;
    this.client += 1;
    if (after.text !== before.text) return differ('the text after a restart', after.text, before.text);
    const [bytes, again] = [before, after].map((document) => toBase64(document.encode()));
    if (bytes !== again) return differ('the document after a restart', again, bytes);
    const [known, told] = [before, after].map((document) => JSON.stringify(document.units.map(plainUnit)));
    if (known !== told) return differ('the units after a restart', told, known);
    for (const agent of agents) {
      for (const which of ['undoable', 'redoable'] as const) {
        const [old, next] = [before, after].map((document) => {
          const unit = document[which](agent);
          if (unit === undefined) return undefined;
          const { splices } = document.planFlip(this.client, unit.ordinal);
          return `unit ${unit.ordinal}, and then: ${spliceText(document.text, splices)}`;
        });
        if (old !== next) return differ(`what is ${which} after a restart`, next, old);
      }
    }
    return undefined;
  }

  #apply(entry: LogEntry, splices: readonly TextSplice[]): void {
    applyEntry(this.document, entry);
    this.log.push(entry);
    this.spliced = spliceText(this.spliced, splices);
  }
}

export function differ(what: string, is: unknown, shouldBe: unknown): string {
  return `${what} is\n  ${JSON.stringify(is)}\nand should be\n  ${JSON.stringify(shouldBe)}`;
}

function applyEntry(document: BlockText, entry: LogEntry): void {
  if (entry.type === 'edit') document.applyEdit(entry.edit);
  else if (entry.type === 'flip') document.applyFlip(entry.flip);
  else document.cut(entry.offset);
}

/** In which order a unit's characters are listed, and how often, does not matter. */
function plainUnit({ inserted, deleted, ...unit }: UndoUnit): unknown {
  const { ordinal, agent, name, active, phase } = unit;
  return { ordinal, agent, name, active, phase, inserted: joined(inserted), deleted: joined(deleted) };
}

function joined(ranges: readonly IdRange[]): number[][] {
  const runs: [client: number, clock: number, end: number][] = [];
  for (const { client, clock, length } of [...ranges].sort((a, b) => a.client - b.client || a.clock - b.clock)) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] === client && clock <= last[2]) last[2] = Math.max(last[2], clock + length);
    else runs.push([client, clock, clock + length]);
  }
  return runs;
}
