import type { ListView } from '@loom/sync';

/** A call that waits, as far as a notification tells of it. */
interface WaitingEntry {
  readonly node: string;
  readonly root_title?: string | undefined;
  readonly opening: string;
  readonly model?: string | undefined;
  readonly directory?: string | undefined;
  readonly ask: { readonly kind: string };
}

export interface WaitingPart {
  readonly calls: readonly WaitingEntry[];
  readonly isKnown: boolean;
}

/** A notification: which agent, in which project and conversation, and where it leads. It never holds a command or what was said. */
export interface TurnNotice {
  readonly title: string;
  readonly body: string;
  /** A later one with the same path takes its place. */
  readonly path: string;
}

/** Finds what a reader who looks elsewhere wants to know: calls that begin to wait, and turns that end. Each is told once. */
export class TurnNotices {
  #waiting: ReadonlySet<string> | undefined;
  #running: ReadonlyMap<string, number> | undefined;

  /** Returns the notices for calls that did not wait before. What waits at first is no news. */
  ofWaiting({ calls, isKnown }: WaitingPart): TurnNotice[] {
    if (!isKnown) return [];
    const before = this.#waiting;
    this.#waiting = new Set(calls.map(({ node }) => node));
    if (before === undefined) return [];
    return calls
      .filter(({ node }) => !before.has(node))
      .map((call) => ({
        title: `${call.model ?? 'A model'} needs you${projectWords(call.directory)}`,
        body: `${call.ask.kind === 'question' ? 'Has a question' : 'Waits for your decision'} in ${quoted(call.root_title ?? call.opening)}`,
        path: `/needs-you#${encodeURIComponent(call.node)}`,
      }));
  }

  /** Returns the notices for conversations in which nothing runs or waits any more since the last look. */
  ofList({ items, status }: ListView): TurnNotice[] {
    if (status !== 'live') return [];
    const before = this.#running;
    this.#running = new Map(items.map(({ id, running, needs }) => [id, running.length + needs.length]));
    if (before === undefined) return [];
    return items
      .filter(({ id, running, needs }) => (before.get(id) ?? 0) > 0 && running.length + needs.length === 0)
      .map(({ id, title, opening, source, config, failed }) => ({
        title: `${source?.model ?? 'A turn'} ${failed === true ? 'failed' : 'finished'}${projectWords(config['directory'])}`,
        body: quoted(title ?? opening),
        path: `/r/${encodeURIComponent(id)}`,
      }));
  }
}

function projectWords(directory: unknown): string {
  const name = typeof directory === 'string' ? directory.split(/[/\\]/u).findLast((part) => part !== '') : undefined;
  return name === undefined ? '' : ` in ${name}`;
}

function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return `“${short}”`;
}
