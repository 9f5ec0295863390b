import { blobId } from '@loom/blocks';
import type { Clock, LoomEngine } from '@loom/kernel';
import type { OpenVisits } from '../access/open-visits.ts';
import { answer, answerJson } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import type { Route, Visit } from '../routes/route.ts';
import type { SharedCopies } from './shared-copies.ts';
import type { SharedCopy } from './shared-copy.ts';
import type { Share, Shares } from './shares.ts';

export interface ShareRoutesOptions {
  engine: Pick<LoomEngine, 'forest'>;
  copies: SharedCopies;
  readers: Pick<OpenVisits, 'enter'>;
  shares: Pick<Shares, 'endOf'>;
  clock: Clock;
}

/** Changes are told to readers together, at this interval in milliseconds. */
const tellingPause = 500;

/** An idle stream shows its readers at this interval, in milliseconds, that it is there. */
const heartbeat = 15_000;

/** The routes of those who read by a link. These are the only ones that its secret opens, and each answers out of the same copy. */
export function shareRoutes(options: ShareRoutesOptions): Route[] {
  const { copies, shares } = options;
  const copyOf = async (visit: Visit): Promise<{ share: Share; copy: SharedCopy }> => {
    const share = shareOf(visit);
    const copy = await copies.of(share);
    return copy === undefined ? fail('share-ended') : { share, copy };
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/share',
      access: 'share',
      async handle(visit) {
        const { share, copy } = await copyOf(visit);
        const { title, root, nodes, leaf } = copy;
        const value = {
          ...(title === undefined ? {} : { title }),
          root,
          nodes,
          ...(leaf === undefined ? {} : { leaf }),
          replaced: share.replaced && copy.secrets.length > 0,
          until: shares.endOf(share.id),
        };
        return answerJson({ ok: true, value });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/share/blobs/:id',
      access: 'share',
      async handle(visit) {
        const { copy } = await copyOf(visit);
        const { data: id } = blobId.safeParse(visit.params['id']);
        const bytes = id === undefined ? undefined : await copy.readBlob(id);
        if (bytes === undefined) return fail('no-blob');
        return answer(Uint8Array.from(bytes), 200, {
          'content-disposition': 'attachment',
          'content-type': 'application/octet-stream',
        });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/share/events',
      access: 'share',
      async handle(visit) {
        const share = shareOf(visit);
        return answer(await follow(share, options), 200, {
          'content-type': 'text/event-stream',
          'x-accel-buffering': 'no',
        });
      },
    },
  ];
}

function shareOf({ share }: Visit): Share {
  return share ?? fail('share-ended');
}

/** Tells a reader that the copy is another one now, with nothing of what changed, and at last that the link has ended. */
async function follow(
  share: Share,
  { engine, copies, readers, clock }: ShareRoutesOptions,
): Promise<ReadableStream<Uint8Array>> {
  const first = await copies.stampOf(share);
  if (first === undefined) return fail('share-ended');
  let told = first;
  let stops: (() => void)[] = [];
  const leave = (): void => {
    for (const stop of stops) stop();
    stops = [];
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (event: string): void => controller.enqueue(new TextEncoder().encode(event));
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        leave();
        say('data: {"type":"ended"}\n\n');
        controller.close();
      };
      let isDue = false;
      let stopPause = (): void => {};
      let stopBeat = (): void => {};
      const look = async (): Promise<void> => {
        isDue = false;
        const stamp = await copies.stampOf(share);
        if (isOver || stops.length === 0 || stamp === told) return;
        if (stamp === undefined) return end();
        told = stamp;
        say('data: {"type":"changed"}\n\n');
      };
      const beat = (): void => {
        stopBeat = clock.after(heartbeat, () => {
          // A reader that does not read needs no sign of life.
          if ((controller.desiredSize ?? 0) > 0) say(': still here\n\n');
          beat();
        });
      };
      stops = [
        () => stopPause(),
        () => stopBeat(),
        engine.forest.log(share.root).subscribe(() => {
          if (isDue) return;
          isDue = true;
          stopPause = clock.after(tellingPause, () => void look().catch(end));
        }),
      ];
      say(': here\n\n');
      beat();
      stops.push(readers.enter(share.id, end));
    },
    cancel: leave,
  });
}
