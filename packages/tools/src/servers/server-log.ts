import { cleanText, findSecrets, withoutSecrets } from '@loom/blocks';

/** A line about what a server did. */
export interface LogLine {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly kind: 'started' | 'ready' | 'stderr' | 'error' | 'ended';
  readonly text: string;
}

const mostLines = 500;
const longestLine = 2_000;
/** Shorter values of settings are words that may stand anywhere. */
const shortestSecret = 6;

/** The last lines about a server. Values of its environment and headers are masked: programs print what they were given. */
export class ServerLog {
  readonly #now: () => number;
  readonly #secrets: readonly string[];
  readonly #lines: LogLine[] = [];
  #rest = '';

  constructor(now: () => number, secrets: readonly string[]) {
    this.#now = now;
    this.#secrets = secrets.filter((secret) => secret.length >= shortestSecret);
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  add(kind: LogLine['kind'], text: string): void {
    const masked = this.mask(text);
    const cut = masked.length > longestLine ? `${masked.slice(0, longestLine)}…` : masked;
    this.#lines.push({ at: new Date(this.#now()).toISOString(), kind, text: cleanText(cut) });
    if (this.#lines.length > mostLines) this.#lines.shift();
  }

  /** Takes a piece of what the program prints; lines are added when they are complete. */
  print(piece: string): void {
    const lines = `${this.#rest}${piece}`.split(/\r?\n/u);
    this.#rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) if (line.trim() !== '') this.add('stderr', line);
  }

  /** Adds what was printed without an end of line. */
  flush(): void {
    if (this.#rest.trim() !== '') this.add('stderr', this.#rest);
    this.#rest = '';
  }

  mask(text: string): string {
    const masked = this.#secrets.reduce((known, secret) => known.replaceAll(secret, '••••'), text);
    // Keys may also stand among the arguments, and programs print others.
    return withoutSecrets(masked, findSecrets(masked));
  }
}
