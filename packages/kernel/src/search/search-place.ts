import { z } from 'zod';

/** The place at which a search goes on. */
export interface SearchPlace {
  root: string;
  /** The last block of it that was looked at. */
  after?: string;
  /** True if something before it could not be searched, so the search will not be complete. */
  isPartial?: true;
}

export function writePlace({ root, after, isPartial }: SearchPlace): string {
  return JSON.stringify([root, after ?? null, isPartial === true]);
}

/** `undefined` if an answer cannot have given it. */
export function readPlace(text: string): SearchPlace | undefined {
  try {
    const [root, after, isPartial] = place.parse(JSON.parse(text));
    return { root, ...(after !== null && { after }), ...(isPartial && { isPartial }) };
  } catch {
    return undefined;
  }
}

const place = z.tuple([z.string(), z.string().nullable(), z.boolean()]);
