import type { Source, SourcesBlock } from '@loom/blocks';

/** Gathers the pages that an answer cites, each once, in the order of their first mention. */
export class SourceList {
  readonly #sources = new Map<string, Source>();

  add(url: string, title: string | undefined): void {
    const name = url === '' ? ` ${title}` : url;
    const known = this.#sources.get(name);
    if (known === undefined) {
      this.#sources.set(name, { id: `source-${this.#sources.size + 1}`, url, title: title ?? '' });
    } else if (known.title === '' && title) {
      known.title = title;
    }
  }

  /** All of them; `undefined` if the list is empty. */
  get block(): SourcesBlock | undefined {
    return this.#sources.size === 0 ? undefined : { type: 'sources', sources: [...this.#sources.values()] };
  }
}
