import { createAppServerReader } from '@loom/exchange/codex';
import type { ServerFact } from '@loom/exchange/codex';
import type { ForeignItem } from '@loom/exchange/foreign';
import { SessionFile } from './session-file.ts';

/** The source of a thread's items: its session file, or the notices of the app-server. */
export interface ThreadSource {
  readonly speaking: string | undefined;
  /** The last turn that is complete in it. */
  readonly endedTurn: string | undefined;
  hear(fact: ServerFact): void;
  read(): Promise<readonly ForeignItem[]>;
  close(): Promise<readonly ForeignItem[]>;
}

/** Reads the session file where there is one. */
export async function openSource(path: string | undefined, model: string): Promise<ThreadSource> {
  if (path === undefined) return new ServerSource(model);
  const file = await SessionFile.atEnd(path);
  return new FileSource(file);
}

/** Reads the session file of a sub-agent from its beginning. */
export function sourceOfAgent(path: string): ThreadSource {
  return new FileSource(new SessionFile(path, 0));
}

class FileSource implements ThreadSource {
  readonly #file: SessionFile;

  constructor(file: SessionFile) {
    this.#file = file;
  }

  get speaking(): string | undefined {
    return this.#file.speaking;
  }

  get endedTurn(): string | undefined {
    return this.#file.endedTurn;
  }

  hear(): void {}

  read(): Promise<readonly ForeignItem[]> {
    return this.#file.read();
  }

  close(): Promise<readonly ForeignItem[]> {
    return this.#file.close();
  }
}

/** Codex keeps no file of the thread: its items are those that it shows to people. */
class ServerSource implements ThreadSource {
  readonly #reader;
  endedTurn: string | undefined;
  readonly speaking = undefined;

  constructor(model: string) {
    this.#reader = createAppServerReader(model);
  }

  hear(fact: ServerFact): void {
    this.#reader.hear(fact);
    if (fact.type === 'turn-ended') this.endedTurn = fact.turn;
  }

  read(): Promise<readonly ForeignItem[]> {
    return Promise.resolve(this.#reader.take());
  }

  close(): Promise<readonly ForeignItem[]> {
    this.#reader.end();
    return this.read();
  }
}
