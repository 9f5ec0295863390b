import { z } from 'zod';
import type { TextStorage } from '../stores/kept-store.ts';
import { attachment, emptyDraft, isEmpty } from './attaching/attachments.ts';
import type { Draft } from './attaching/attachments.ts';

const kept = z.record(z.string(), z.object({ text: z.string(), attachments: z.array(attachment) }));
type Kept = Record<string, Draft>;

/**
 * The unsent drafts, by the message that each would follow; kept at every change, so that no reload loses one. The branch may have grown
 * since: then the draft of the last message that has one counts.
 */
export class ComposerDrafts {
  readonly #storage: TextStorage;
  /** The drafts read or written last: they are asked for at every key. Another tab may have written since. */
  #known: { readonly text: string; readonly drafts: Kept } = { text: '{}', drafts: {} };

  constructor(storage: TextStorage) {
    this.#storage = storage;
  }

  /** The draft at the end of a path. */
  read(root: string, path: readonly string[]): Draft {
    const drafts = this.#load(root);
    const node = path.findLast((id) => drafts[id] !== undefined);
    return (node === undefined ? undefined : drafts[node]) ?? emptyDraft;
  }

  /** Keeps a draft below a node; those above it on the same path are the same one, at an earlier time. */
  keep(root: string, tip: string, path: ReadonlySet<string>, draft: Draft): void {
    const others = Object.entries(this.#load(root)).filter(([node]) => !path.has(node));
    this.#save(root, Object.fromEntries(isEmpty(draft) ? others : [...others, [tip, draft]]));
  }

  #load(root: string): Kept {
    try {
      const text = this.#storage.getItem(keyOf(root));
      if (text === null) return {};
      if (text !== this.#known.text) this.#known = { text, drafts: kept.safeParse(JSON.parse(text)).data ?? {} };
      return this.#known.drafts;
    } catch {
      return {};
    }
  }

  #save(root: string, drafts: Kept): void {
    try {
      if (Object.keys(drafts).length === 0) return this.#storage.removeItem(keyOf(root));
      const text = JSON.stringify(drafts);
      this.#storage.setItem(keyOf(root), text);
      this.#known = { text, drafts };
    } catch {
      // Full, or not allowed here: the text is still in the field.
    }
  }
}

function keyOf(root: string): string {
  return `loom-drafts ${root}`;
}
