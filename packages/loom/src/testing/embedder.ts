// A program that embeds Loom: opens a data folder and lets the demo tell a long story. Says a line when it streams, and one at the end,
// which it reaches once its standard input has ended.
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { Clock } from '@loom/kernel';
import { createDemoProvider } from '@loom/providers/demo';
import { z } from 'zod';
import { openLoom } from '../open-loom.ts';

export const embedderProgram = import.meta.filename;

export const embedderLine = z.discriminatedUnion('says', [
  z.strictObject({ says: z.literal('streams'), pid: z.int(), node: z.string() }),
  z.strictObject({ says: z.literal('ends'), reason: z.string(), text: z.string() }),
]);

/** The number of words before the story waits; the rest comes when standard input ends. */
const firstWords = 40;

/** Streams the beginning of the story, then waits: the turn streams for as long as the reader wants it to. */
function pausingClock(): Clock {
  let calls = 0;
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  process.stdin.on('end', release).resume();
  return {
    now: Date.now,
    after(_milliseconds, callback) {
      calls += 1;
      let isWanted = true;
      const proceed = (): void => {
        if (isWanted) callback();
      };
      if (calls <= firstWords) setImmediate(proceed);
      else void isReleased.then(() => setImmediate(proceed));
      return () => {
        isWanted = false;
      };
    },
  };
}

if (import.meta.main) await embed();

async function embed(): Promise<void> {
  const [, , dataDir = '', kind = '', address = ''] = process.argv;
  const storeKind = z.enum(STORE_KINDS).parse(kind);
  await using loom = await openLoom({
    dataDir,
    storeKind,
    address,
    providers: [createDemoProvider({ clock: pausingClock() })],
  });
  const { root } = orThrow(await loom.call('root.create', {}));
  const said = orThrow(
    await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: 'Tell me a story.' }] }),
  );
  const happens = orThrow(await loom.feed(root));
  const node = said.nodes.at(-1) ?? '';
  orThrow(await loom.call('turn.start', { node, provider: 'demo', model: 'slow' }));
  let text = '';
  for await (const item of happens) {
    for (const event of item.type === 'change' ? item.events : []) {
      if (event.type === 'text-appended') {
        if (text === '') say({ says: 'streams', pid: process.pid, node });
        text += event.text;
      }
      if (event.type === 'turn-ended') return say({ says: 'ends', reason: event.reason, text });
    }
  }
}

function say(line: z.infer<typeof embedderLine>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function orThrow<Value>(outcome: { ok: true; value: Value } | { ok: false; refusal: unknown }): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}
