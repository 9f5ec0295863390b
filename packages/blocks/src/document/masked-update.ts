import * as Y from 'yjs';
import { maskText } from '../masked-text.ts';
import { encodePlan } from './edit-plan.ts';
import type { IdRange } from './id-range.ts';
import { createDocument, rootText } from './yjs-document.ts';

/** An update that inserts as many characters at the same places, under the same ids, but does not tell which they were. */
export function maskUpdate(update: Uint8Array): Uint8Array {
  const { structs, ds } = Y.decodeUpdate(update);
  const inserts = structs.map((struct) => {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentString)) {
      throw new TypeError('an update holds something other than text');
    }
    return { left: struct.origin, right: struct.rightOrigin, text: maskText(struct.content.str) };
  });
  const deletes: IdRange[] = [...ds.clients].flatMap(([client, ranges]) =>
    ranges.map(({ clock, len: length }) => ({ client, clock, length })),
  );
  const { client, clock } = structs[0]?.id ?? { client: 0, clock: 0 };
  return encodePlan(rootText(createDocument('')), client, clock, { inserts, deletes });
}
