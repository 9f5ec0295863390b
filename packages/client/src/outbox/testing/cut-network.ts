import { createHash } from 'node:crypto';
import { LoomEngine } from '@loom/kernel';
import type { Clock, Ids, Outcome } from '@loom/kernel';
import { createMemoryStore } from '@loom/stores/memory';
import type { Fetch, FetchAnswer } from '../../ports.ts';

export function countingIds(prefix: string): Ids {
  let last = 0;
  return { next: () => `${prefix}${String((last += 1)).padStart(6, '0')}` };
}

/** An engine with nothing but what an outbox can be sent to. */
export function openEngine(clock: Clock): LoomEngine {
  return new LoomEngine({
    store: createMemoryStore({ now: () => clock.now() }),
    clock,
    ids: countingIds('k'),
    hash: { hex: (text) => createHash('sha256').update(text).digest('hex') },
    holder: 'test',
    exclusive: true,
    providers: [],
    tools: [],
  });
}

/** A request on its way. */
interface Packet {
  /** The server takes it in. Its answer is on its way then. */
  arrive: () => Promise<void>;
  /** Its sender gets the answer, if there is one. */
  answer: () => void;
  /** Its sender hears nothing. A request on its way may arrive all the same. */
  cut: () => void;
}

/**
 * A network that delivers nothing on its own: requests wait until a test lets them arrive, lets them be answered, or cuts
 * them.
 */
export class CutNetwork {
  readonly #engine: LoomEngine;
  readonly #agent: string;
  packets: Packet[] = [];
  /** The server's answer in the place of an outcome. */
  problem: { status: number; reason: string } | undefined;
  /** The keys that arrived, in order. */
  readonly arrived: string[] = [];

  constructor(engine: LoomEngine, agent = 'person') {
    this.#engine = engine;
    this.#agent = agent;
  }

  readonly fetch: Fetch = (url, { headers, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<FetchAnswer>();
    const name = url.slice(url.lastIndexOf('/') + 1);
    const id = headers['idempotency-key'] ?? '';
    let answer: FetchAnswer | undefined;
    this.packets.push({
      arrive: async () => {
        this.arrived.push(id);
        const params: unknown = JSON.parse(typeof body === 'string' ? body : '');
        answer ??= this.problem === undefined ? answered(await this.#call(name, id, params)) : turnedAway(this.problem);
      },
      answer: () => (answer === undefined ? reject(new Error('cut')) : resolve(answer)),
      cut: () => reject(new Error('cut')),
    });
    return promise;
  };

  /** Lets everything through. */
  async flush(): Promise<void> {
    for (const packet of this.packets.splice(0)) {
      await packet.arrive();
      packet.answer();
    }
  }

  /** Cuts every packet. */
  cutAll(): void {
    for (const packet of this.packets.splice(0)) packet.cut();
  }

  #call(name: string, id: string, params: unknown): Promise<Outcome<unknown>> {
    const caller = { agent: this.#agent, type: 'person', role: 'owner', door: 'http', id } as const;
    return this.#engine.call(name, caller, params);
  }
}

function answered(outcome: Outcome<unknown>): FetchAnswer {
  return { status: outcome.ok ? 200 : 409, text: () => Promise.resolve(JSON.stringify(outcome)), body: null };
}

function turnedAway({ status, reason }: { status: number; reason: string }): FetchAnswer {
  const text = JSON.stringify({ ok: false, problem: { reason }, message: 'no' });
  return { status, text: () => Promise.resolve(text), body: null };
}
