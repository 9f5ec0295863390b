import { z } from 'zod';

/** The most bytes of a notification, of which PostgreSQL takes 7,999. */
const roomForMessage = 7_000;
/** The most logs that are named in what was collected; more wake all. */
const mostLogs = 5_000;

/** A notification as one process sends it to the others: the sender, and what it is about. */
const signal = z.discriminatedUnion('type', [
  /** Logs that were appended to, with their last seqs where those are known. */
  z.object({
    type: z.literal('logs'),
    sender: z.string(),
    logs: z.array(z.tuple([z.string(), z.number().nullable()])),
  }),
  /** Any log may have been appended to. */
  z.object({ type: z.literal('all'), sender: z.string() }),
  /** A piece of an announcement. */
  z.object({
    type: z.literal('said'),
    sender: z.string(),
    number: z.number(),
    piece: z.number(),
    pieces: z.number(),
    text: z.string(),
  }),
]);
export type Signal = z.infer<typeof signal>;
const announcement = z.tuple([z.string(), z.string()]);

/** Collects what is to be sent, and cuts it into notifications. */
export class Outbox {
  readonly #sender: string;
  readonly #logs = new Map<string, number | null>();
  #isAll = false;
  #said: string[] = [];
  #number = 0;

  constructor(sender: string) {
    this.#sender = sender;
  }

  get isEmpty(): boolean {
    return this.#logs.size === 0 && !this.#isAll && this.#said.length === 0;
  }

  addLog(log: string, seq: number | undefined): void {
    if (this.#logs.size >= mostLogs) this.addAll();
    if (!this.#isAll) this.#logs.set(log, Math.max(seq ?? 0, this.#logs.get(log) ?? 0) || null);
  }

  addAll(): void {
    this.#isAll = true;
    this.#logs.clear();
  }

  /** An announcement that no notification holds is cut into pieces. */
  say(channel: string, message: string): void {
    const whole = JSON.stringify([channel, message]);
    const pieces = Math.ceil(whole.length / pieceLength);
    this.#number += 1;
    for (let piece = 0; piece < pieces; piece += 1) {
      const text = whole.slice(piece * pieceLength, (piece + 1) * pieceLength);
      this.#said.push(encode({ type: 'said', sender: this.#sender, number: this.#number, piece, pieces, text }));
    }
  }

  /** Drops announcements: they are of no use later. */
  forgetSaid(): void {
    this.#said = [];
  }

  /** Returns all notifications to send, in order, and forgets them. */
  take(): string[] {
    const messages = this.#isAll ? [encode({ type: 'all', sender: this.#sender })] : this.#logMessages();
    const taken = [...messages, ...this.#said];
    this.#isAll = false;
    this.#logs.clear();
    this.#said = [];
    return taken;
  }

  #logMessages(): string[] {
    const messages: string[] = [];
    let logs: [string, number | null][] = [];
    let size = 0;
    const flush = (): void => {
      if (logs.length > 0) messages.push(encode({ type: 'logs', sender: this.#sender, logs }));
      [logs, size] = [[], 0];
    };
    for (const entry of this.#logs) {
      const own = Buffer.byteLength(JSON.stringify(entry)) + 1;
      // A name that no notification holds.
      if (own > roomForMessage) return [encode({ type: 'all', sender: this.#sender })];
      if (size + own > roomForMessage) flush();
      logs.push(entry);
      size += own;
    }
    flush();
    return messages;
  }
}

/** Puts announcements together again, of which pieces of several senders may come in turn. */
export class Inbox {
  readonly #parts = new Map<string, { number: number; texts: string[] }>();

  /** Returns the announcement that is complete now. */
  add({ sender, number, piece, pieces, text }: Extract<Signal, { type: 'said' }>): [string, string] | undefined {
    const kept = this.#parts.get(sender);
    // Those of one sender come in order: with another one begun, the rest of the first is lost.
    const texts = kept?.number === number && kept.texts.length === piece ? kept.texts : [];
    if (texts.length !== piece) return undefined;
    texts.push(text);
    if (piece + 1 < pieces) {
      this.#parts.set(sender, { number, texts });
      return undefined;
    }
    this.#parts.delete(sender);
    return read(announcement, texts.join(''));
  }
}

/** Reads a notification; `undefined` if it is none of Loom's, since any user of the database can send some. */
export function decodeSignal(payload: string): Signal | undefined {
  return read(signal, payload);
}

function read<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function encode(message: Signal): string {
  return JSON.stringify(message);
}

/** Characters. Each takes three bytes at most. */
const pieceLength = 2_000;
