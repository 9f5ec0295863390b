/** A note about content that an export could not keep as Loom has it. */
export interface ExportNote {
  readonly reason:
    | 'thinking-unsigned'
    | 'call-unanswered'
    | 'file-unavailable'
    | 'file-unsupported'
    | 'prompt-apart'
    | 'pictures-apart';
  /** The event, then its meaning: one sentence or two. */
  readonly message: string;
  readonly count: number;
}

/** Gathers notes; a repeated one is counted. */
export class ExportNotes {
  readonly #notes = new Map<string, ExportNote>();

  add(reason: ExportNote['reason'], message: string): void {
    const count = (this.#notes.get(message)?.count ?? 0) + 1;
    this.#notes.set(message, { reason, message, count });
  }

  get list(): ExportNote[] {
    return [...this.#notes.values()];
  }
}
