import type { Clock, LoomEngine, RootState } from '@loom/kernel';
import { answer, answerJson } from '../../answers/answer.ts';
import { shapeFor } from './node-shape.ts';
import type { OriginalRequest } from './original-request.ts';

export interface GenerationsParts {
  engine: Pick<LoomEngine, 'forest'>;
  clock: Clock;
}

/** An event for clients of the original while a node is being answered. */
interface Update {
  status: Status;
  /** The answers that are there now. */
  added?: Record<string, unknown>[];
  error?: string;
}

type Status = 'pending' | 'idle';

/** The interval of signs of life in an idle stream, in milliseconds. */
const heartbeat = 15_000;

/** The most bytes that may wait for a client that does not read; then its stream ends, and it may come back. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * `GET /api/nodes/:id/generation`, as the original had it: server-sent events about the answers below a node, whichever client has asked
 * for them. An answer that goes on behind the calls of its tools is reported at its node, and the rest at the nodes that follow.
 */
export class Generations {
  readonly #parts: GenerationsParts;
  readonly #open = new Set<() => void>();

  constructor(parts: GenerationsParts) {
    this.#parts = parts;
  }

  /** Returns the status of the answers to a node; nothing if none was asked for. */
  async statusOf(node: string): Promise<Status | undefined> {
    return (await this.#look(node)).status;
  }

  async answer(request: OriginalRequest): Promise<Response> {
    const { id, visit } = request;
    // Refused to those who may not see it.
    await request.ask('node.get', { node: id });
    const { status } = await this.#look(id);
    if (status === undefined) return answerJson({ error: 'No answer to this node was asked for.' }, 404);
    const { headers } = shapeFor(visit.url);
    return answer(this.#follow(request), 200, {
      ...headers,
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
  }

  /** Ends all streams. */
  close(): void {
    for (const end of this.#open) end();
  }

  #follow(request: OriginalRequest): ReadableStream<Uint8Array> {
    const { engine, clock } = this.#parts;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const write = (text: string): void => {
      controller?.enqueue(Buffer.from(`${text}\n\n`));
      if ((controller?.desiredSize ?? 1) <= 0) end();
    };
    let told: Look | undefined;
    let looking: Promise<void> = Promise.resolve();
    const tell = async (): Promise<void> => {
      const look = await this.#look(request.id);
      const update = await describe(request, told, look);
      told = look;
      if (update !== undefined) write(`data: ${JSON.stringify(update)}`);
    };
    const lookAgain = (): void => {
      looking = looking.then(tell).catch(() => end());
    };
    const unsubscribe = engine.forest.log(rootOf(request.id)).subscribe((item) => {
      if (item.type === 'resync') end();
      else if (item.type === 'change' && item.events.some(({ type }) => telling.has(type))) lookAgain();
    });
    let stopBeating = (): void => {};
    const beat = (): void => {
      stopBeating = clock.after(heartbeat, () => {
        write(': still here');
        if (controller !== undefined) beat();
      });
    };
    const leave = (): void => {
      controller = undefined;
      unsubscribe();
      stopBeating();
      this.#open.delete(end);
    };
    const end = (): void => {
      const ending = controller;
      leave();
      ending?.close();
    };
    this.#open.add(end);
    return new ReadableStream<Uint8Array>(
      {
        start: (begun) => {
          controller = begun;
          lookAgain();
          beat();
        },
        cancel: leave,
      },
      { highWaterMark: mostWaiting, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  async #look(node: string): Promise<Look> {
    const log = this.#parts.engine.forest.log(rootOf(node));
    return (await log.read((state) => lookAt(state, node))).value;
  }
}

/** The events after which there may be something to tell. */
const telling: ReadonlySet<string> = new Set(['turn-started', 'turn-ended', 'node-added']);

/** The turns that answer a node, as far as their clients see them. */
interface Look {
  status: Status | undefined;
  /** Nodes right below it that will not get longer. */
  finished: ReadonlySet<string>;
  /** The endings of turns that failed, by their ids. */
  failed: ReadonlyMap<string, string>;
}

function lookAt(state: RootState, id: string): Look {
  const own = state.nodes.get(id)?.turn;
  const turns = [...state.turns.values()].filter((turn) => turn.node === id || turn.id === own);
  const live = new Set(turns.flatMap((turn) => (turn.ended === undefined ? [turn.id] : [])));
  const isAsked = turns.some((turn) => turn.node === id);
  const below = (node: string) => (state.children.get(node) ?? []).flatMap((child) => state.nodes.get(child) ?? []);
  const finished = below(id).filter(({ id: child, turn, deleted }) => {
    if (deleted === true || !turns.some((one) => one.id === turn)) return false;
    return !live.has(turn ?? '') || below(child).some((next) => next.turn === turn);
  });
  const failed = turns.flatMap(({ id: turn, ended }): [string, string][] =>
    ended === undefined || ended.reason === 'done'
      ? []
      : [[turn, ended.error?.message ?? `It ended: ${ended.reason}.`]],
  );
  return {
    status: live.size > 0 ? 'pending' : isAsked ? 'idle' : undefined,
    finished: new Set(finished.map((node) => node.id)),
    failed: new Map(failed),
  };
}

/** Describes the news since the last look; at the first one, the present state. */
async function describe(
  { ask, visit }: OriginalRequest,
  told: Look | undefined,
  { status = 'idle', finished, failed }: Look,
): Promise<Update | undefined> {
  if (told === undefined) return { status };
  const { of } = shapeFor(visit.url);
  const added: Record<string, unknown>[] = [];
  for (const node of finished) if (!told.finished.has(node)) added.push(of(await ask('node.get', { node })));
  const errors = [...failed].flatMap(([turn, error]) => (told.failed.has(turn) ? [] : [error]));
  if (added.length === 0 && errors.length === 0 && status === (told.status ?? 'idle')) return undefined;
  return {
    status,
    ...(added.length === 0 ? {} : { added }),
    ...(errors.length === 0 ? {} : { error: errors.join('\n') }),
  };
}

function rootOf(node: string): string {
  return node.slice(0, Math.max(0, node.lastIndexOf('/')));
}
