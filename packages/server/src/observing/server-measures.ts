import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoomEngine } from '@loom/kernel';
import { Metrics } from './metrics.ts';
import type { Labels } from './metrics.ts';
import { TokenCount } from './token-count.ts';

export interface MeasuredParts {
  engine: LoomEngine;
  /** Returns the number of clients that follow conversations and the list, by their kind of connection. */
  clients: () => readonly (readonly [Labels, number])[];
}

/** Receives the number of bytes that went to a client, and their frames. */
export type NoteSent = (bytes: number, frames: readonly { readonly type: string }[]) => void;

/** Upper bounds of how long a request takes, in seconds. */
const latencies = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

/** The metrics of a server. */
export class ServerMeasures {
  /** An operation was answered, or failed. */
  readonly called: (labels: Labels, seconds: number) => void;
  /** A request was turned away by the guard. */
  readonly turnedAway: (labels: Labels) => void;
  /** Frames were sent to a client, by a way to follow. */
  readonly sent: (way: 'socket' | 'events') => NoteSent;
  readonly #metrics = new Metrics();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #stop: () => void;

  constructor({ engine, clients }: MeasuredParts) {
    const metrics = this.#metrics;
    const requests = metrics.counter('loom_requests_total', 'Operations that were asked for, by name and outcome.');
    const seconds = metrics.histogram('loom_request_seconds', 'How long operations took, by name.', latencies);
    this.called = (labels, taken) => {
      requests(labels);
      seconds({ operation: labels['operation'] ?? '' }, taken);
    };
    this.turnedAway = metrics.counter('loom_turned_away_total', 'Requests that the guard turned away, by reason.');
    const frames = metrics.counter('loom_feed_frames_total', 'Frames that were sent to followers.');
    const bytes = metrics.counter('loom_feed_bytes_total', 'Bytes that were sent to followers.');
    const resyncs = metrics.counter(
      'loom_feed_resyncs_total',
      'Followers that read too slowly and had to begin again.',
    );
    this.sent = (way) => (size, sent) => {
      frames({ way }, sent.length);
      bytes({ way }, size);
      for (const { type } of sent) if (type === 'resync') resyncs({ way });
    };
    metrics.gauge('loom_feed_clients', 'Clients that follow conversations or the list.', clients);
    const changes = metrics.counter('loom_changes_total', 'Changes that became durable in conversations.');
    const tokens = metrics.counter('loom_tokens_total', 'Tokens that models were sent and wrote.');
    const counted = new TokenCount((direction, count) => tokens({ direction }, count));
    this.#stop = engine.forest.subscribeToChanges((_root, item) => {
      if (item.type !== 'change') return;
      changes();
      counted.hear(item.events);
    });
    metrics.gauge('loom_turns_running', 'Turns that this process runs.', () => engine.turns.running);
    metrics.gauge('loom_conversations_open', 'Conversations that are in memory.', () => engine.forest.logsInMemory);
    metrics.gauge('loom_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
    metrics.gauge('loom_uptime_seconds', 'How long the process runs.', () => process.uptime());
    metrics.gauge('loom_event_loop_delay_seconds', 'How late timers go off, since it was last asked.', () =>
      this.#delays(),
    );
    this.#delay.enable();
  }

  /** Returns the metrics in the text form of Prometheus. */
  write(): string {
    return this.#metrics.write();
  }

  stop(): void {
    this.#stop();
    this.#delay.disable();
  }

  #delays(): [Labels, number][] {
    const found: [Labels, number][] = [
      [{ quantile: '0.5' }, this.#delay.percentile(50) / 1e9],
      [{ quantile: '0.99' }, this.#delay.percentile(99) / 1e9],
      [{ quantile: '1' }, this.#delay.max / 1e9],
    ];
    this.#delay.reset();
    return found;
  }
}
