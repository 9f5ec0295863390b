import type { Clock, Hash } from '../../ports.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome } from '../../refusal.ts';
import type { Caller, Operation } from '../operation.ts';

/** A request that was done: what its id is bound to, and its answer as JSON, unless that is long. */
interface Done {
  readonly digest: string;
  readonly text: string | undefined;
  readonly cursor: Extract<Outcome<unknown>, { ok: true }>['cursor'];
  readonly bytes: number;
  /** Cancels the timer of an entry that is kept for less time than the others. */
  readonly cancel: () => void;
}

/**
 * Binds the ids of requests to their parameters. A request that was done gets the same answer again, and with other
 * parameters it is refused; while it is under way all that repeat it wait for the same answer. Those that were refused or
 * failed are forgotten: repeating them is another try. Logs keep the binding of the changes they hold beyond this process
 * and beyond the last of these.
 */
export class BoundRequests {
  readonly #clock: Clock;
  /** None of these is ever forgotten: each belongs to work under way. */
  readonly #running = new Map<string, { digest: string; outcome: Promise<Outcome<unknown>> }>();
  readonly #done = new Map<string, Done>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does the work, unless this caller has asked for it before under the same id. */
  run(
    caller: Caller,
    { digest, isSecret }: { digest: string; isSecret: boolean },
    work: () => Promise<Outcome<unknown>>,
  ): Promise<Outcome<unknown>> {
    const key = keyOf(caller);
    const running = this.#running.get(key);
    const done = this.#done.get(key);
    const known = running ?? done;
    if (known !== undefined && known.digest !== digest) {
      return Promise.resolve(refuse({ reason: 'request-reused', id: caller.id }));
    }
    if (running !== undefined) return running.outcome;
    if (done?.text !== undefined) return Promise.resolve(answerOf(done, done.text));
    const outcome = this.#finish(key, { digest, isSecret }, work);
    this.#running.set(key, { digest, outcome });
    return outcome;
  }

  /** Lets go of all answers. */
  clear(): void {
    for (const key of this.#done.keys()) this.#forget(key);
  }

  async #finish(
    key: string,
    { digest, isSecret }: { digest: string; isSecret: boolean },
    work: () => Promise<Outcome<unknown>>,
  ): Promise<Outcome<unknown>> {
    try {
      const outcome = await work();
      if (outcome.ok) this.#keep(key, digest, outcome, isSecret);
      return outcome;
    } finally {
      this.#running.delete(key);
    }
  }

  #keep(key: string, digest: string, outcome: Extract<Outcome<unknown>, { ok: true }>, isSecret: boolean): void {
    this.#forget(key);
    const whole = JSON.stringify(outcome.value) ?? '';
    // A longer one is made again: such answers are those of logs, which have them.
    const text = whole === '' || whole.length > longestAnswer ? undefined : whole;
    const bytes = 2 * (key.length + (text?.length ?? 0));
    const cancel = isSecret ? this.#clock.after(secretTime, () => this.#forget(key)) : () => {};
    this.#done.set(key, { digest, text, cursor: outcome.cursor, bytes, cancel });
    this.#bytes += bytes;
    for (const oldest of this.#done.keys()) {
      if (this.#done.size <= mostKnown && this.#bytes <= mostBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const done = this.#done.get(key);
    if (done === undefined) return;
    this.#done.delete(key);
    this.#bytes -= done.bytes;
    done.cancel();
  }
}

/**
 * Returns a few characters that stand for an operation with its parameters, regardless of the order of their keys. They tell
 * a mistake from a repetition and stand in every change, so they are few; an attacker gains nothing by finding two that are
 * equal. `undefined` for values that JSON cannot hold, such as a ring, which a program in this process may hand in:
 * operations refuse that.
 */
export function digestOf(hash: Hash, { name }: Pick<Operation, 'name'>, params: unknown): string | undefined {
  try {
    return hash.hex(`${name} ${JSON.stringify(params, sortKeys) ?? ''}`).slice(0, 8);
  } catch {
    return undefined;
  }
}

const mostKnown = 1_000;
const mostBytes = 4 * 1024 * 1024;
/** In UTF-16 units. */
const longestAnswer = 64 * 1024;
/**
 * The time for which an answer with a secret in it is kept, in milliseconds: a lost answer is asked for again within
 * seconds.
 */
const secretTime = 60_000;

/**
 * Returns a key of everything that identifies the caller, so that no caller gets the answer to another one of the same name.
 */
function keyOf({ agent, id, type, role, roots, credential, door }: Caller): string {
  return JSON.stringify([agent, id, type, role, roots, credential, door]);
}

/** Returns a fresh copy, because the first caller may have changed its answer. */
function answerOf({ cursor }: Done, text: string): Outcome<unknown> {
  const value: unknown = JSON.parse(text);
  return cursor === undefined ? { ok: true, value } : { ok: true, value, cursor };
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
