import type { LoomEngine } from '@loom/kernel';
import { z } from 'zod';
import type { OpenVisits } from './open-visits.ts';

export interface TurnsOfTokensParts {
  turns: Pick<LoomEngine['turns'], 'abort' | 'wait'>;
  agentTurns: LoomEngine['agentTurns'];
  visits: Pick<OpenVisits, 'enter'>;
  newId: () => string;
  onFailure: (error: unknown) => void;
}

/** The token and the agent in whose name a turn was started. */
interface Starter {
  readonly token: string;
  readonly agent: string;
}

/** The number of turns whose starters are known: agents go on from late ones. */
const mostKnown = 10_000;

const startedTurns = z.object({ turns: z.array(z.string()), nodes: z.array(z.string()) });

/** Stops the turns that were started with a token when it ends, and those in which an agent goes on from them without being asked. */
export class TurnsOfTokens {
  readonly #parts: TurnsOfTokensParts;
  readonly #starters = new Map<string, Starter>();

  constructor(parts: TurnsOfTokensParts) {
    this.#parts = parts;
    parts.agentTurns.subscribe(({ root, turn, after }) => {
      const starter = this.#starters.get(after);
      if (starter !== undefined) this.#endWith(starter, root, turn);
    });
  }

  /** Takes the result of an operation that may have started turns. */
  started(token: string, agent: string, result: unknown): void {
    const { data } = startedTurns.safeParse(result);
    for (const [index, turn] of data?.turns.entries() ?? []) {
      const node = data?.nodes[index] ?? data?.nodes[0] ?? '';
      this.#endWith({ token, agent }, node.slice(0, node.lastIndexOf('/')), turn);
    }
  }

  #endWith(starter: Starter, root: string, turn: string): void {
    const { turns, visits, newId, onFailure } = this.#parts;
    this.#starters.set(turn, starter);
    for (const oldest of this.#starters.keys()) {
      if (this.#starters.size <= mostKnown) break;
      this.#starters.delete(oldest);
    }
    // One that has ended by now is refused, which changes nothing.
    const stop = (): void => void turns.abort({ agent: starter.agent, id: newId() }, root, turn).catch(onFailure);
    const leave = visits.enter(starter.token, stop);
    void turns.wait(turn).then(leave, leave);
  }
}
