import { fromBase64, toBase64 } from '@loom/blocks';
import { z } from 'zod';
import type { Forest } from '../forest/forest.ts';
import { readJson } from '../read-json.ts';
import type { Store } from '../store.ts';
import type { CallRecorder, Exchange } from './call-recorder.ts';

/** The abilities that keeping calls takes and the kernel lacks. */
export interface CallKeeping {
  /** Decodes bytes as UTF-8, as far as they are valid. */
  decode(bytes: Uint8Array): string;
  compress(text: string): Promise<Uint8Array>;
  decompress(bytes: Uint8Array): Promise<string>;
  /** Takes keys out. Providers have done so already: this is the second wall. */
  redact(text: string): Promise<string>;
}

/** A call whose exchanges are kept. */
const keptCall = z.strictObject({
  id: z.string(),
  /** None for a call that no turn made: for a title. */
  turn: z.string().exactOptional(),
  /** The node that was answered or gone on from. */
  after: z.string(),
  /** The nodes that it wrote; none if it was stopped before its first word. */
  nodes: z.array(z.string()),
  provider: z.string(),
  model: z.string(),
  /** The end time, as ISO 8601. */
  ended_at: z.string(),
  /** The room that it takes, in bytes. */
  bytes: z.int(),
});
export type KeptCall = z.infer<typeof keptCall>;

const exchanges = z.array(z.strictObject({ request: z.string(), response: z.string(), cut: z.boolean() }));

export interface CallRecordsOptions {
  store: Store;
  forest: Forest;
  keepCalls?: CallKeeping;
}

/**
 * The requests sent to models and their answers: the last calls of each conversation, kept beside its log and not in it. So
 * they disappear when they are old, or when the log is rewritten without their content.
 */
export class CallRecords {
  readonly #options: CallRecordsOptions;
  /** The write under way for each root: writes run one after the other. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: CallRecordsOptions) {
    this.#options = options;
  }

  /** Keeps a call; the turn does not wait for it, and nothing depends on it. */
  keep(root: string, call: Omit<KeptCall, 'bytes'>, recorder: CallRecorder): void {
    const { keepCalls: keeping } = this.#options;
    if (keeping === undefined) return;
    const before = this.#writing.get(root) ?? Promise.resolve();
    const written = before
      .then(() =>
        this.#write(
          root,
          call,
          { epoch: recorder.epoch, said: recorder.exchanges((bytes) => keeping.decode(bytes)) },
          keeping,
        ),
      )
      .catch(() => {})
      .finally(() => {
        if (this.#writing.get(root) === written) this.#writing.delete(root);
      });
    this.#writing.set(root, written);
  }

  /** Resolves when everything is written that was kept by now. */
  async idle(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** The calls that are kept of a conversation, the first one first. */
  async list(root: string): Promise<KeptCall[]> {
    await this.#writing.get(root);
    return (await this.#index(root)).calls;
  }

  /** Returns the exchanges of one call; `undefined` if they are gone. */
  async read(root: string, id: string): Promise<Exchange[] | undefined> {
    const { store, keepCalls: keeping } = this.#options;
    const found = await store.readProjection(root, projectionName, bodyKey(id));
    const packed = found?.parts.find(({ key }) => key === bodyKey(id))?.text;
    if (packed === undefined || keeping === undefined) return undefined;
    const parsed = exchanges.safeParse(readJson(await keeping.decompress(fromBase64(packed))));
    return parsed.success ? parsed.data : undefined;
  }

  async #write(
    root: string,
    call: Omit<KeptCall, 'bytes'>,
    { said, epoch }: { said: readonly Exchange[]; epoch: string | undefined },
    keeping: CallKeeping,
  ): Promise<void> {
    if (said.length === 0) return;
    const { store, forest } = this.#options;
    const clean: Exchange[] = [];
    for (const { request, response, cut } of said) {
      clean.push({ request: await keeping.redact(request), response: await keeping.redact(response), cut });
    }
    const text = toBase64(await keeping.compress(JSON.stringify(clean)));
    const { calls, base } = await this.#index(root);
    const kept = lastOf([...calls, { ...call, bytes: text.length }]);
    const left = new Set(kept.map(({ id }) => id));
    const body = left.has(call.id) ? [{ key: bodyKey(call.id), text }] : [];
    const cursor = await forest.log(root).cursor();
    if (cursor.epoch !== epoch) return;
    await store.writeProjection(root, projectionName, {
      ...cursor,
      base,
      put: [{ key: indexKey, text: JSON.stringify(kept) }, ...body],
      drop: calls.flatMap(({ id }) => (left.has(id) ? [] : [bodyKey(id)])),
    });
  }

  async #index(root: string): Promise<{ calls: KeptCall[]; base: number | undefined }> {
    const found = await this.#options.store.readProjection(root, projectionName, indexKey);
    const parsed = z.array(keptCall).safeParse(readJson(found?.parts[0]?.text ?? '[]'));
    return parsed.success && found !== undefined
      ? { calls: parsed.data, base: found.seq }
      : { calls: [], base: undefined };
  }
}

/** Returns the last calls that fit: images are sent again with every call. */
function lastOf(calls: readonly KeptCall[]): KeptCall[] {
  const kept: KeptCall[] = [];
  let room = mostBytes;
  for (const call of calls.toReversed()) {
    room -= call.bytes;
    if (room < 0 || kept.length === mostCalls) break;
    kept.unshift(call);
  }
  return kept;
}

const mostCalls = 20;
/** The limit for all calls of a conversation together. */
const mostBytes = 16 * 1024 * 1024;

const projectionName = 'calls';
const indexKey = 'index';

function bodyKey(id: string): string {
  return `body/${id}`;
}
