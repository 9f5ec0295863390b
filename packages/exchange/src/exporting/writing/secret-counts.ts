import { Buffer } from 'node:buffer';
import { findSecrets, maskFound, withoutSecrets } from '@loom/blocks';
import type { ExportAnswer } from '@loom/kernel';

/** Counts the secrets in what is written, whatever the format: what nothing was found in has been looked at as it goes out. */
export class SecretCounts {
  readonly #counts = new Map<string, ExportAnswer['secrets'][number]>();

  /** Gathers what is written, with dots in the place of secrets if that is wanted. */
  async collect(pieces: Iterable<string> | AsyncIterable<string>, replacesSecrets: boolean): Promise<Buffer> {
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    for await (const piece of pieces) {
      const found = findSecrets(piece);
      for (const secret of found) {
        const { kind } = secret;
        const masked = maskFound(piece, secret);
        const known = this.#counts.get(`${kind} ${masked}`);
        this.#counts.set(`${kind} ${masked}`, { kind, masked, count: (known?.count ?? 0) + 1 });
      }
      parts.push(encoder.encode(replacesSecrets ? withoutSecrets(piece, found) : piece));
    }
    return Buffer.concat(parts);
  }

  list(): ExportAnswer['secrets'] {
    return [...this.#counts.values()].slice(0, mostSecrets);
  }
}

const mostSecrets = 1_000;
