import { createHash, randomBytes } from 'node:crypto';

/** Secrets that each open something once, within a short time: sign-in codes and tickets. They end with the process. */
export class OneTimeSecrets<Grant> {
  readonly #lifetime: number;
  readonly #now: () => number;
  readonly #grants = new Map<string, { grant: Grant; end: number }>();

  constructor(options: { lifetime: number; now: () => number }) {
    this.#lifetime = options.lifetime;
    this.#now = options.now;
  }

  /** A new secret of 128 bits. */
  issue(grant: Grant): string {
    this.#forgetOld();
    const secret = randomBytes(16).toString('base64url');
    this.#grants.set(keyOf(secret), { grant, end: this.#now() + this.#lifetime });
    return secret;
  }

  /** What a secret opens; it does so once. */
  redeem(secret: string): Grant | undefined {
    const key = keyOf(secret);
    const found = this.#grants.get(key);
    this.#grants.delete(key);
    return found === undefined || found.end <= this.#now() ? undefined : found.grant;
  }

  #forgetOld(): void {
    const now = this.#now();
    // The oldest come first, and all are valid for the same time.
    for (const [key, { end }] of this.#grants) {
      if (end > now) return;
      this.#grants.delete(key);
    }
  }
}

/** Looking up a hash takes as long for a near miss as for any other. */
function keyOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
