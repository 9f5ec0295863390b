/** Returns a text without the given secrets, wherever they stand in it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // Longer ones first: a secret may be part of another.
  return secrets
    .toSorted((left, right) => right.length - left.length)
    .reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '[redacted]')), text);
}

/** Removes secrets from bytes that come in pieces, even if a secret is cut. */
export class ByteRedaction {
  readonly #secrets: readonly string[];
  /** Held-back bytes that may be the beginning of a secret, a character for each byte. */
  #held = '';

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret !== '');
  }

  /** Takes bytes in; returns those that are safe to pass on by now. */
  take(bytes: Uint8Array): Uint8Array {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isClean = this.#held === '' && !this.#secrets.some((secret) => buffer.includes(secret));
    if (isClean && this.#beginningAt(buffer.toString('latin1', Math.max(0, buffer.length - this.#longest))) === '')
      return bytes;
    const text = withoutSecrets(this.#held + buffer.toString('latin1'), this.#secrets);
    this.#held = this.#beginningAt(text);
    return Buffer.from(text.slice(0, text.length - this.#held.length), 'latin1');
  }

  /** Returns the held-back bytes, once nothing more comes. */
  end(): Uint8Array {
    const rest = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    return rest;
  }

  get #longest(): number {
    return Math.max(0, ...this.#secrets.map(({ length }) => length - 1));
  }

  /** Returns the longest end of a text that is the beginning of a secret. */
  #beginningAt(text: string): string {
    for (let at = Math.max(0, text.length - this.#longest); at < text.length; at += 1) {
      const end = text.slice(at);
      if (this.#secrets.some((secret) => secret.startsWith(end))) return end;
    }
    return '';
  }
}
