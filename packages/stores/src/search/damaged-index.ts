/** The error for an index whose contents cannot be right: it must be made anew. */
export class DamagedIndex extends Error {
  readonly code = 'search-index-damaged';

  constructor(what: string) {
    super(`the search index is damaged (${what}); it is made anew`);
  }
}
