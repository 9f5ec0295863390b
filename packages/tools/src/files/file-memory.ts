/**
 * The files that the models of a conversation have read, by the hash of what they saw, and the calls that were prepared. It is kept in
 * memory: after a restart the results of earlier calls tell which files the model has seen whole; others it reads again.
 */
export class FileMemory {
  readonly #conversations = new Map<string, Map<string, string>>();
  readonly #calls = new Map<string, PreparedFiles>();

  /** Notes the content of a file that a model has seen, or has written itself. */
  note(root: string, path: string, hash: string | undefined): void {
    const files = this.#conversations.get(root) ?? new Map<string, string>();
    this.#conversations.delete(root);
    this.#conversations.set(root, files);
    if (hash === undefined) files.delete(path);
    else files.set(path, hash);
    dropOldest(files, mostFiles);
    dropOldest(this.#conversations, mostConversations);
  }

  /** Returns the hash of a file as it was last seen; `undefined` if it was not. */
  seen(root: string, path: string): string | undefined {
    return this.#conversations.get(root)?.get(path);
  }

  /** Notes the outcome of preparing a call, so that it runs exactly as it was shown. */
  prepared(node: string, files: PreparedFiles): void {
    this.#calls.delete(node);
    this.#calls.set(node, files);
    dropOldest(this.#calls, mostCalls);
  }

  /** Returns the outcome of preparing a call; each is asked for once. */
  takePrepared(node: string): PreparedFiles | undefined {
    const files = this.#calls.get(node);
    this.#calls.delete(node);
    return files;
  }
}

/** The outcome of preparing a call: a mistake in it, or the files that it changes, by the hash of their content then. */
export type PreparedFiles = { mistake: string } | { before: ReadonlyMap<string, string | undefined> };

function dropOldest<Value>(kept: Map<string, Value>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}

const mostConversations = 500;
const mostFiles = 20_000;
const mostCalls = 10_000;
