import type { ContentBlock } from './content-block.ts';
import type { PlainObject } from './values/plain-object.ts';
import { recordFields } from './record-fields.ts';

/** Returns the content of a block, without its record: no identity, status, authorship or provider data. */
export function contentFields(block: ContentBlock): PlainObject {
  const fields: PlainObject = {};
  for (const key of Object.keys(block)) {
    // The record field `error` and the block type `error` do not meet: that block's fields are `code` and `message`.
    if (!Object.hasOwn(recordFields, key)) fields[key] = Reflect.get(block, key);
  }
  return fields;
}
