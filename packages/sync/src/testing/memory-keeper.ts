import { ClientText } from '@loom/blocks/document';
import { pendingWork } from '../index.ts';
import type { KeptStep, KeptText, TextKeeper } from '../index.ts';
import { replaySteps } from '../replica/kept-text.ts';

/** Keeps texts as a page's storage does: it returns copies of the texts put in. */
export class MemoryKeeper implements TextKeeper {
  readonly #kept = new Map<string, { text: KeptText; steps: KeptStep[] }>();
  /** The number of times that a whole text was put. */
  puts = 0;

  /** The texts in which something is not confirmed. */
  get left(): KeptText[] {
    const all = [...this.#kept.values()].map(({ text, steps }) => ({ ...text, steps }));
    return structuredClone(all.filter((kept) => pendingWork(kept).length > 0));
  }

  /** The texts of these. */
  get leftTexts(): string[] {
    return this.left.map(({ document: update, growing, steps }) => {
      const text = new ClientText(0, { text: '', update, ...(growing === undefined ? {} : { growing }) });
      replaySteps(text, steps);
      return text.text;
    });
  }

  put(text: KeptText): void {
    this.puts += 1;
    this.#kept.set(text.id, { text: structuredClone(text), steps: [...(text.steps ?? [])] });
  }

  add(id: string, steps: readonly KeptStep[]): boolean {
    const kept = this.#kept.get(id);
    kept?.steps.push(...structuredClone(steps));
    return kept !== undefined;
  }

  remove(id: string): void {
    this.#kept.delete(id);
  }
}
