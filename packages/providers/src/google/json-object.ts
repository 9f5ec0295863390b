import { isJson, isPlainObject } from '@loom/blocks';
import type { JSONObject } from '@ai-sdk/provider';

/** An object that JSON can hold, as the SDK's types want it. */
export function isJsonObject(value: unknown): value is JSONObject {
  return isPlainObject(value) && isJson(value);
}
