import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller, Clock, LoomEngine } from '@loom/kernel';
import { addressOf } from './resources.ts';

export interface Watched {
  engine: Pick<LoomEngine, 'call' | 'forest'>;
  clock: Clock;
}

/** A conversation that is being written changes many times a second; a client hears of it at most this often, in milliseconds. */
const pause = 250;

/** Reports changes of a resource until it is stopped. Does not watch a resource that the caller may not see. */
export async function watchResource(
  { engine, clock }: Watched,
  caller: Caller,
  uri: string,
  onChange: () => void,
): Promise<(() => void) | undefined> {
  const address = addressOf(uri);
  if (address === undefined) return undefined;
  const { type, id } = address;
  const seen = await (type === 'branch'
    ? engine.call('node.get', caller, { node: id })
    : engine.call('root.get', caller, { root: id }));
  if (!seen.ok) return undefined;
  const root = type === 'branch' ? id.slice(0, id.lastIndexOf('/')) : id;
  let cancel: (() => void) | undefined;
  const stop = engine.forest.log(root).subscribe(() => {
    cancel ??= clock.after(pause, () => {
      cancel = undefined;
      onChange();
    });
  });
  return () => {
    stop();
    cancel?.();
  };
}

/** The notifications for one listening client: the changes of the resources that it has named. It ends with the stream that listens. */
export class ResourceWatch implements ServerEventBus {
  readonly #watched: Watched;
  readonly #caller: Caller;
  readonly #uris: readonly string[];
  /** Called once nothing listens. */
  onEnd = (): void => {};

  constructor(watched: Watched, caller: Caller, uris: readonly string[]) {
    this.#watched = watched;
    this.#caller = caller;
    this.#uris = uris;
  }

  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    let isOver = false;
    const stops: (() => void)[] = [];
    const watch = async (uri: string): Promise<void> => {
      const stop = await watchResource(this.#watched, this.#caller, uri, () =>
        listener({ kind: 'resource_updated', uri }),
      );
      if (stop === undefined) return;
      if (isOver) stop();
      else stops.push(stop);
    };
    for (const uri of this.#uris) void watch(uri).catch(() => {});
    return () => {
      isOver = true;
      for (const stop of stops.splice(0)) stop();
      this.onEnd();
    };
  }
}
