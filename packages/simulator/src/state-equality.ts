import { isDeepStrictEqual } from 'node:util';
import type { RootState } from '@loom/kernel';

/**
 * Finds the difference between two states. Objects in their maps are replaced, never altered, so a pair that was equal once is not compared again:
 * comparing after every step stays cheap.
 */
export class StateEquality {
  readonly #equal = new WeakMap<object, object>();

  /**
   * Returns the first part that differs, or `undefined`. The order of maps counts: both must list the same entries in the same order. Only entries
   * that no list names may come in another order, and the parts about snapshots may differ altogether.
   */
  findDifference(left: RootState, right: RootState): string | undefined {
    const others = new Map<string, unknown>(Object.entries(right));
    for (const [name, value] of new Map<string, unknown>(Object.entries(left))) {
      const other = others.get(name);
      others.delete(name);
      if (ownMatters.has(name)) continue;
      if (value instanceof Map && other instanceof Map) {
        const key = neverListed.has(name) ? this.#findUnlisted(value, other) : this.#findKey(value, other);
        if (key !== undefined) return `${name} at ${JSON.stringify(key)}`;
      } else if (value instanceof Set && other instanceof Set) {
        if (!isDeepStrictEqual([...value], [...other])) return name;
      } else if (!isDeepStrictEqual(value, other)) {
        return name;
      }
    }
    return others.keys().next().value;
  }

  #findUnlisted(left: ReadonlyMap<unknown, unknown>, right: ReadonlyMap<unknown, unknown>): unknown {
    for (const [key, value] of left) if (!this.#isEqual(value, right.get(key))) return key;
    return [...right.keys()].find((key) => !left.has(key));
  }

  #findKey(left: ReadonlyMap<unknown, unknown>, right: ReadonlyMap<unknown, unknown>): unknown {
    const others = right.entries();
    for (const [key, value] of left) {
      const [otherKey, other] = others.next().value ?? [];
      if (key !== otherKey || !this.#isEqual(value, other)) return key;
    }
    return others.next().value?.[0];
  }

  #isEqual(left: unknown, right: unknown): boolean {
    if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return left === right;
    if (this.#equal.get(left) === right) return true;
    if (!isDeepStrictEqual(left, right)) return false;
    // Lists of children do grow in place.
    if (!Array.isArray(left)) this.#equal.set(left, right);
    return true;
  }
}

const ownMatters: ReadonlySet<string> = new Set(['keepsEdits', 'obsoleteParts', 'undoParts']);
const neverListed: ReadonlySet<string> = new Set(['children', 'nodeOfBlock', 'texts']);
