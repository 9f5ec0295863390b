import { stat } from 'node:fs/promises';
import type { FileChangeBlock } from '@loom/blocks';
import type { ProcessPort, Provider, ProviderCall, ProviderEvent, ProviderHost, ProviderRequest } from '@loom/kernel';
import type { ChangeWatch, RunningWatch } from '@loom/tools';

export interface WatchOptions {
  changes: ChangeWatch;
  processes: Pick<ProcessPort, 'spawn'>;
}

/**
 * Lets an agent speak, and adds the files that each of its turns has changed, with their contents before it: the agent runs its tools itself, so
 * that only the folder tells. Conversations without a folder are not watched.
 */
export function watchedAgent(agent: Provider, options: WatchOptions): Provider {
  let host: ProviderHost | undefined;
  const watching =
    (speak: Provider['stream']): Provider['stream'] =>
    (request, call) =>
      streamWatched(speak, request, call, { ...options, host: () => host });
  return {
    ...agent,
    attach(given) {
      host = given;
      agent.attach?.({
        ...given,
        begin: (start) => given.begin({ ...start, stream: watching(start.stream) }),
      });
    },
    stream: watching((request, call) => agent.stream(request, call)),
  };
}

type StreamOptions = WatchOptions & { host: () => ProviderHost | undefined };

async function* streamWatched(
  speak: Provider['stream'],
  request: ProviderRequest,
  call: ProviderCall,
  { changes, processes, host }: StreamOptions,
): AsyncGenerator<ProviderEvent> {
  const { directory, root } = request;
  const { turn, blobs } = call;
  if (directory === undefined || turn === undefined) {
    yield* speak(request, call);
    return;
  }
  const isThere = await stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere) {
    yield { type: 'call-start' };
    const advice = 'Put it back, or continue in a conversation with another folder.';
    const message = `The folder ${directory}, in which this conversation works, is no longer there. ${advice}`;
    yield { type: 'call-error', error: { code: 'failed', message, final: true, detail: { gone: directory } } };
    return;
  }
  const watch = watchOnce(await changes.begin(directory, { blobs, processes }));
  let last: string | undefined;
  try {
    for await (const event of speak(request, call)) {
      last = lastMessage(event, last);
      const isOver = event.type === 'call-end' || event.type === 'call-error';
      if (isOver && last !== undefined && !call.signal.aborted) {
        const block = await watch.end();
        if (block !== undefined)
          yield { type: 'block', message: last, role: 'assistant', block: { ...block, ephemeral: true } };
      }
      if (isOver) await addLate();
      yield event;
    }
  } finally {
    await addLate();
  }

  /** Adds the changes where nothing can be said: the turn was stopped, or has no message to add them to. */
  async function addLate(): Promise<void> {
    const block = await watch.end();
    // A store that fails has failed the turn as well.
    if (block !== undefined && turn !== undefined)
      await host()
        ?.changed({ root, turn, block })
        .catch(() => {});
  }
}

/** Returns the watch so that it ends once; the second time there is nothing to say. */
function watchOnce(watch: RunningWatch): RunningWatch {
  let isOver = false;
  return {
    async end(): Promise<FileChangeBlock | undefined> {
      if (isOver) return undefined;
      isOver = true;
      return watch.end();
    },
  };
}

/** The model's last message after an event; none where the next words would be a new one. */
function lastMessage(event: ProviderEvent, last: string | undefined): string | undefined {
  if (event.type === 'heard') return undefined;
  if (event.type === 'notice') return event.child === undefined ? undefined : last;
  if (event.type !== 'block' && event.type !== 'block-start') return last;
  return event.role === 'assistant' && event.child === undefined ? event.message : last;
}
