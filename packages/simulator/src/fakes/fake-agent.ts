import type {
  Approval,
  BegunTurn,
  Outcome,
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderHost,
  ProviderRequest,
  SteeringMessage,
} from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';
import { inventPieces } from './fake-provider.ts';
import type { ProviderSurroundings } from './fake-provider.ts';

/** The inputs of a process's agent. */
export interface AgentSurroundings extends ProviderSurroundings {
  /** Called with the decision on a question, before the agent acts on it. */
  onDecision: (call: string, decision: Approval['decision']) => void;
  /** Called with every message that the agent has read while it speaks. */
  onHeard: (message: string) => void;
  /** Called for every turn that the agent begins without being asked. */
  onBegin: (begun: Promise<Outcome<BegunTurn>>) => void;
}

/** The agent's possible activities: its own work, a question to the user first, or another agent that it starts. */
const kinds = ['work', 'consult', 'send'] as const;

/** An agent that runs its own tools, asks the user about them, starts others, and hears messages meanwhile. */
export function createFakeAgent(surroundings: AgentSurroundings): Provider {
  let host: ProviderHost | undefined;
  const stream: Provider['stream'] = async function* (request, call) {
    try {
      yield* speak(surroundings, request, call);
    } finally {
      // It is let go of at its last word.
      if (host !== undefined && surroundings.random.chance(0.3)) goOn(host, request, call);
    }
  };
  /** Begins a turn behind its last words, which may still be on their way into the log. */
  const goOn = (to: ProviderHost, { root }: ProviderRequest, { turn: after = '' }: ProviderCall): void => {
    const { random, newCallId, onBegin } = surroundings;
    const blocks = [{ type: 'text' as const, text: `task ${newCallId()} has ended` }];
    onBegin(to.begin({ root, after, stream, ...(random.chance(0.5) ? { notice: { kind: 'task', blocks } } : {}) }));
  };
  return { id: 'agent', runsTools: true, attach: (given) => (host = given), stream };
}

async function* speak(
  surroundings: AgentSurroundings,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent, void> {
  const { random, pause, sleep, onRequest, onHeard } = surroundings;
  onRequest(request);
  const ear = new Ear(call.steering);
  const ending = random.weigh(
    [
      ['end', 10],
      ['error', 1],
      ['cut', 1],
    ],
    'end',
  );
  let left = ending === 'end' ? Number.POSITIVE_INFINITY : 1 + random.below(20);
  const slowness = random.pick([0, 50, 4_000]) ?? 0;
  let open = 0;
  yield { type: 'call-start' };
  for await (const event of compose(surroundings, call)) {
    if (slowness > 0 && random.chance(0.4)) await sleep(random.below(slowness));
    else await pause();
    if (call.signal.aborted && random.chance(0.7)) return;
    const heard = open === 0 && random.chance(0.7) ? ear.take() : undefined;
    if (heard !== undefined) {
      onHeard(heard.id);
      yield { type: 'heard', id: heard.id };
    }
    yield event;
    if (event.type === 'block-start') open += 1;
    if (event.type === 'block-end') open -= 1;
    if ((left -= 1) === 0) break;
  }
  if (ending === 'cut') return;
  yield ending === 'end'
    ? { type: 'call-end', reason: 'stop' }
    : { type: 'call-error', error: { code: 'overloaded', message: 'later' } };
}

/** Yields everything that the agent does in one call: text between pieces of work. */
async function* compose(surroundings: AgentSurroundings, call: ProviderCall): AsyncGenerator<ProviderEvent, void> {
  const { random } = surroundings;
  for (let number = random.below(4); number >= 0; number -= 1) {
    const message = `message-${number}`;
    yield* say(surroundings, { message });
    if (number > 0) yield* work(surroundings, call, message, random.pick(kinds) ?? 'work');
  }
}

async function* work(
  surroundings: AgentSurroundings,
  call: ProviderCall,
  message: string,
  kind: (typeof kinds)[number],
): AsyncGenerator<ProviderEvent, void> {
  const { random, newCallId, onDecision } = surroundings;
  const id = newCallId();
  const block = { type: 'tool-use', id, name: kind, parameters: { of: id } } as const;
  yield { type: 'block', message, role: 'assistant', block };
  if (kind === 'consult') {
    const decision = await ask(call, id);
    if (decision === undefined) return;
    onDecision(id, decision);
    if (decision === 'denied') return yield* answer(random, id, 'denied');
  }
  if (kind === 'send') {
    const child = `child of ${id}`;
    yield { type: 'child', child, call: id, prompt: `look around for ${id}` };
    yield* say(surroundings, { message: 'first', child });
    yield* say(surroundings, { message: 'second', child });
  } else {
    yield { type: 'tool-state', call: id, state: 'running' };
  }
  yield* answer(random, id, 'result');
}

/** Returns the user's decision; `undefined` if the turn is stopped before. */
async function ask(call: ProviderCall, id: string): Promise<Approval['decision'] | undefined> {
  const preview = [{ type: 'text' as const, text: `may I do ${id}?` }];
  try {
    return (await call.decide(id, { kind: 'ask', preview })).decision;
  } catch {
    return undefined;
  }
}

/** Yields the result of a call: with text or without, an error from the start, in the end, or none. */
function* answer(random: Random, id: string, state: 'result' | 'denied'): Generator<ProviderEvent, void> {
  const isFailing = state === 'result' && random.chance(0.3);
  if (random.chance(0.8)) {
    const block = { type: 'text' as const, text: `${state} ${id}` };
    const failed = isFailing && random.chance(0.5) ? { is_error: true } : {};
    yield { type: 'block', message: `result ${id}`, role: 'tool', tool_call_id: id, block, ...failed };
  }
  yield { type: 'tool-state', call: id, state: isFailing ? 'error' : state };
}

/** Yields a text, piece by piece, of the agent itself or of a child. */
function* say(
  { random, onWords }: { random: Random; onWords: (words: string) => void },
  { message, child }: { message: string; child?: string },
): Generator<ProviderEvent, void> {
  const key = `words ${message}`;
  const of = child === undefined ? {} : { child };
  const pieces = inventPieces(random);
  onWords(pieces.join(''));
  yield { type: 'block-start', key, message, role: 'assistant', block: { type: 'text', text: '' }, ...of };
  for (const text of pieces) yield { type: 'block-delta', key, field: 'text', text, ...of };
  yield { type: 'block-end', key, ...of };
}

/** The messages to the agent that it has not read yet. */
class Ear {
  readonly #messages: SteeringMessage[] = [];

  constructor(steering: AsyncIterable<SteeringMessage>) {
    void this.#listen(steering);
  }

  take(): SteeringMessage | undefined {
    return this.#messages.shift();
  }

  async #listen(steering: AsyncIterable<SteeringMessage>): Promise<void> {
    for await (const message of steering) this.#messages.push(message);
  }
}
