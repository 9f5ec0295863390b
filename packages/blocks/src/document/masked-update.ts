import { maskText } from '../text/masked-text.ts';
import { decodePlan, encodePlan } from './edit-plan.ts';
import { createDocument, rootText } from './yjs-document.ts';

/** An update that inserts as many characters at the same places, under the same ids, but does not show which they were. */
export function maskUpdate(update: Uint8Array): Uint8Array {
  const { client, clock, plan } = decodePlan(update);
  const inserts = plan.inserts.map((insert) => ({ ...insert, text: maskText(insert.text) }));
  return encodePlan(rootText(createDocument('')), client, clock, { inserts, deletes: plan.deletes });
}
