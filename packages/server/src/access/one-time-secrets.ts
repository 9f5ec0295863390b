import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '@loom/kernel/store';
import type { z } from 'zod';

/** The keeper of secrets: a store hands each out once, whichever process asks, and forgets it when its time is over. */
export type SecretPort = Pick<Store, 'putOnce' | 'takeOnce'>;

export interface OneTimeSecretsOptions<Grant> {
  port: SecretPort;
  /** The kind of access they give, as a part of their keys. */
  kind: string;
  /** The lifetime, in milliseconds. */
  lifetime: number;
  /** The schema of the grant kept with a secret. */
  grant: z.ZodType<Grant>;
}

/** Secrets that each open something once, within a short time: sign-in codes and tickets. */
export class OneTimeSecrets<Grant> {
  readonly #options: OneTimeSecretsOptions<Grant>;

  constructor(options: OneTimeSecretsOptions<Grant>) {
    this.#options = options;
  }

  /** A new secret of 128 bits. */
  async issue(grant: Grant): Promise<string> {
    const { port, lifetime } = this.#options;
    const secret = randomBytes(16).toString('base64url');
    await port.putOnce(this.#keyOf(secret), JSON.stringify(grant), lifetime);
    return secret;
  }

  /** Redeems a secret for its grant; it works once. */
  async redeem(secret: string): Promise<Grant | undefined> {
    const { port, grant } = this.#options;
    const kept = await port.takeOnce(this.#keyOf(secret));
    return kept === undefined ? undefined : grant.safeParse(JSON.parse(kept)).data;
  }

  /** The secret itself is kept nowhere; and looking up a hash takes as long for a near miss as for any other. */
  #keyOf(secret: string): string {
    return `${this.#options.kind}/${createHash('sha256').update(secret).digest('hex')}`;
  }
}
