import { isJson, isPlainObject } from '@loom/blocks';
import type { JSONObject } from '@ai-sdk/provider';

/** Checks that a value is a JSON object, in the SDK's type. */
export function isJsonObject(value: unknown): value is JSONObject {
  return isPlainObject(value) && isJson(value);
}
