/** The traffic of one try of a call. A call that its provider retries has several. */
export interface Exchange {
  request: string;
  response: string;
  /** True if more was sent or received than is kept. */
  cut: boolean;
}

/** Gathers what a provider sends and receives in one call. */
export class CallRecorder {
  /**
   * The epoch of the log when the request was made. A call from before a purge is not kept, because it would bring back the purged
   * words; nor is one without an epoch.
   */
  epoch: string | undefined;
  readonly #tries: { request: Uint8Array[]; response: Uint8Array[]; cut: boolean }[] = [];
  readonly #room = { request: mostBytes, response: mostBytes };

  /** Each request begins another try; a response comes in as many pieces as it likes. */
  record(part: 'request' | 'response', bytes: Uint8Array): void {
    const isNew = this.#tries.length === 0 || (part === 'request' && this.#tries.length < mostTries);
    if (isNew) this.#tries.push({ request: [], response: [], cut: false });
    const [last] = this.#tries.slice(-1);
    if (last === undefined) return;
    // The provider may use its array again.
    const kept = Uint8Array.from(bytes.subarray(0, this.#room[part]));
    this.#room[part] -= kept.length;
    if (kept.length > 0) last[part].push(kept);
    if (kept.length < bytes.length) last.cut = true;
  }

  exchanges(decode: (bytes: Uint8Array) => string): Exchange[] {
    return this.#tries.map(({ request, response, cut }) => ({
      request: decode(joinBytes(request)),
      response: decode(joinBytes(response)),
      cut,
    }));
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** More bytes of the requests of a call, or of its responses, are not kept. */
const mostBytes = 4 * 1024 * 1024;
const mostTries = 20;
