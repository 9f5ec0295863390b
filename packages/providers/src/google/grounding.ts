import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/** A page that an answer cites. */
export interface GroundingSource {
  url: string;
  title: string;
}

/** Returns the pages that Google's search, maps and file search name (https://ai.google.dev/api/generate-content#GroundingChunk). */
export function readGroundingSources(metadata: unknown): GroundingSource[] {
  const chunks =
    isPlainObject(metadata) && Array.isArray(metadata['groundingChunks']) ? metadata['groundingChunks'] : [];
  return chunks.filter(isPlainObject).flatMap(readChunk);
}

/** Returns the pages that the URL tool has read (https://ai.google.dev/api/generate-content#UrlMetadata). */
export function readUrlSources(metadata: unknown): GroundingSource[] {
  const pages = isPlainObject(metadata) && Array.isArray(metadata['urlMetadata']) ? metadata['urlMetadata'] : [];
  return pages.filter(isPlainObject).flatMap(({ retrievedUrl: url }) => (isSaid(url) ? [{ url, title: url }] : []));
}

/** Returns true if it holds more than empty lists. */
export function saysAnything(metadata: unknown): boolean {
  return isPlainObject(metadata) && Object.values(metadata).some((value) => !Array.isArray(value) || value.length > 0);
}

function readChunk(chunk: PlainObject): GroundingSource[] {
  const page = ['web', 'maps', 'image', 'retrievedContext'].map((kind) => chunk[kind]).find(isPlainObject);
  if (page === undefined) return [];
  const url = [page['uri'], page['sourceUri'], page['fileSearchStore']].find(isSaid) ?? '';
  const title = [page['title'], page['domain']].find(isSaid) ?? url;
  return url === '' && title === '' ? [] : [{ url, title }];
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
