import { EditedTexts } from './replica/edited-texts.ts';
import type { EditingMeans } from './replica/replica-options.ts';
import type { CreateText } from './replica/shared-text.ts';

/**
 * Returns what lets a replica edit texts. `createText` makes the document of one. This is an entry of its own because most
 * replicas only read.
 */
export function editTexts(createText: CreateText): EditingMeans['createTexts'] {
  return (host) => new EditedTexts(createText, host);
}
