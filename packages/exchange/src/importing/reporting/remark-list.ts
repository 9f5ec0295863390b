import type { ImportRemark } from './import-remarks.ts';

/** The number of remarks that are remembered. */
const mostRemarks = 100;

/** Remarks for callers that poll: numbered, the last ones, and one per subject. */
export class RemarkList {
  #remarks: { number: number; about: string; text: string }[] = [];
  #last = 0;

  add({ about, text }: ImportRemark): void {
    if (this.#remarks.some((known) => known.about === about)) return;
    this.#last += 1;
    this.#remarks = [...this.#remarks.slice(1 - mostRemarks), { number: this.#last, about, text }];
  }

  list(): { number: number; text: string }[] {
    return this.#remarks.map(({ number, text }) => ({ number, text }));
  }
}
