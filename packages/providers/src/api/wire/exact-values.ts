/**
 * Parts of a request that must reach the wire exactly as they are in the conversation. SDKs parse and rewrite them (`1.0` becomes `1`, long integers
 * lose digits, blocks change their order), and the prompt cache is lost. So an SDK gets a placeholder, and the body is mended on its way out.
 */
export class ExactValues {
  readonly #values = new Map<string, string>();

  /** The placeholder in the body → the JSON that belongs there. */
  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** Returns a placeholder object for the one with this JSON. */
  object(json: string): Record<string, number> {
    const stand = { [name]: this.#values.size };
    this.replace(stand, json);
    return stand;
  }

  /** Replaces a value, in the SDK's spelling, by JSON. */
  replace(value: unknown, json: string): void {
    this.#values.set(JSON.stringify(value), json);
  }
}

const name = 'loom-exact-value';
const pattern = /\{"loom-exact-value":\d+\}/g;

/**
 * Returns the body with every placeholder replaced. Throws if one is missing or a duplicate: a wrong request is not sent. Inside a JSON string every
 * quote is escaped, so no message can look like a placeholder.
 */
export function mendBody(body: string, exact: ReadonlyMap<string, string>): string {
  if (exact.size === 0) return body;
  const left = new Map(exact);
  const take = (found: string): string => {
    const json = left.get(found);
    if (json === undefined) throw new Error(`the request holds the placeholder ${found} too often`);
    left.delete(found);
    return json;
  };
  const mended = body.replaceAll(pattern, take);
  let whole = mended;
  for (const found of new Map(left).keys())
    whole = whole.split(found).reduce((before, after) => before + take(found) + after);
  const [missing] = left.keys();
  if (missing !== undefined) throw new Error(`the request lost the placeholder ${missing}`);
  return whole;
}
