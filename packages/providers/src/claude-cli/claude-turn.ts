import { randomUUID } from 'node:crypto';
import { isBlank } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { PermissionQuestion, RunFact, StreamFact } from '@loom/exchange/claude-code';
import type { ProviderCall, ProviderEvent, SteeringMessage } from '@loom/kernel';
import { endOf } from '../agent-cli/index.ts';
import { AskedCalls } from './asked-calls.ts';
import { callErrorOf } from './call-error.ts';
import type { ClaudeProcess, Signal } from './claude-process.ts';
import { LiveEvents, source } from './live-events.ts';
import type { CostOf } from './live-events.ts';
import { noteOfResult, noteOfStart } from './run-notes.ts';
import type { SignalQueue } from './signal-queue.ts';
import { contentOf } from './user-content.ts';

/** The message that a turn begins with. */
export interface Prompt {
  uuid: string;
  content: readonly PlainObject[];
}

/** One call of the provider: what a process says from a message to the end of its turn, and those that steering leads to. */
export class ClaudeTurn {
  readonly #process: ClaudeProcess;
  readonly #call: ProviderCall;
  readonly #live: LiveEvents;
  /** The messages of people that were sent and not read yet, by their names. */
  readonly #sent = new Map<string, { id: string; blocks: number }>();
  /** Questions of sub-agents that wait until the main conversation is not being written. */
  readonly #waiting: PermissionQuestion[] = [];
  readonly #asked: AskedCalls;
  #queue: SignalQueue<Signal> | undefined;
  #isOver = false;

  constructor(process: ClaudeProcess, call: ProviderCall, costOf?: CostOf) {
    this.#live = new LiveEvents({ costOf });
    this.#process = process;
    this.#call = call;
    this.#asked = new AskedCalls(process, call);
  }

  /** Says a prompt, if there is one, and streams the events of the turn. */
  async *events(prompt: Prompt | undefined, how: PlainObject): AsyncGenerator<ProviderEvent, void> {
    const { signal, turn } = this.#call;
    const queue = this.#process.listen();
    this.#queue = queue;
    if (turn !== undefined) this.#process.turn = turn;
    const stop = (): void => {
      this.#live.stop();
      this.#process.interrupt();
    };
    signal.addEventListener('abort', stop);
    try {
      if (prompt !== undefined) {
        // Named before it is sent: a Loom that is killed in between would else meet it as another's words.
        yield named({}, prompt.uuid, prompt.content.length);
        this.#process.say(prompt.uuid, prompt.content);
      }
      if (signal.aborted) stop();
      void this.#steer();
      for await (const next of queue) {
        if (next.type === 'ended') {
          yield* this.#fail(next);
          return;
        }
        if (next.type === 'events') yield* next.events;
        else yield* this.#take(next.fact, how);
        this.#askWaiting();
        if (next.type === 'fact' && next.fact.type === 'turn-closed' && this.#sent.size === 0) {
          yield* this.#close(next.fact);
          return;
        }
      }
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', stop);
      this.#process.line = this.#live.line ?? this.#process.line;
      this.#process.interrupt();
      this.#process.leave();
    }
  }

  *#take(fact: StreamFact, how: PlainObject): Generator<ProviderEvent> {
    switch (fact.type) {
      case 'turn-opened':
        if (!isBlank(fact.session)) yield { type: 'session', source, id: fact.session };
        yield { type: 'note', data: { claude: { ...noteOfStart(fact.report), ...how } } };
        return;
      case 'retrying':
        yield { type: 'retrying', attempt: fact.attempt, delay_ms: fact.delay_ms, reason: fact.reason };
        return;
      case 'input-state':
        yield* this.#hear(fact.uuid, fact.state);
        return;
      case 'question':
        if (fact.question.agent === undefined) void this.#asked.ask(fact.question, fact.question.call);
        else this.#waiting.push(fact.question);
        return;
      case 'stray':
        yield* this.#keepStray(fact.text);
        return;
      default:
        yield* this.#live.take(fact);
    }
  }

  /** Keeps a line that is not JSON. */
  *#keepStray(text: string): Generator<ProviderEvent> {
    if (text.trim() === '' || this.#live.isWriting || this.#call.signal.aborted) return;
    const block = { type: 'raw' as const, source, value: text };
    yield { type: 'block', message: `stray ${randomUUID()}`, role: 'assistant', block };
  }

  /** Sends what people say meanwhile. */
  async #steer(): Promise<void> {
    for await (const message of this.#call.steering) {
      if (this.#isOver || this.#call.signal.aborted) return;
      await this.#send(message);
    }
  }

  async #send({ id, blocks }: SteeringMessage): Promise<void> {
    const content = await contentOf(blocks, this.#call.blobs);
    const uuid = randomUUID();
    if (this.#isOver) return;
    this.#sent.set(uuid, { id, blocks: content.length });
    this.#process.say(uuid, content);
  }

  /** Notes that a message of a person has reached the model, or was dropped. */
  *#hear(uuid: string, state: string): Generator<ProviderEvent> {
    const sent = this.#sent.get(uuid);
    if (sent === undefined || state === 'queued') return;
    this.#sent.delete(uuid);
    if (state === 'cancelled' || this.#call.signal.aborted) return;
    yield { type: 'heard', id: sent.id };
    yield named({ heard: sent.id }, uuid, sent.blocks);
  }

  /** Puts the question of a sub-agent into the main conversation, as a call of its own: a sub-agent's conversation cannot ask. */
  #askWaiting(): void {
    if (this.#live.isWriting) return;
    for (const question of this.#waiting.splice(0)) {
      const { id, tool, input, agent, call } = question;
      const name = `permission ${id}`;
      const provider = { [source]: { asked_by: agent, call } };
      const block = { type: 'tool-use' as const, id: name, name: tool, parameters: input, provider };
      this.#queue?.push({ type: 'events', events: this.#live.ask(block, name) });
      void this.#answerWaiting(question, name);
    }
  }

  async #answerWaiting(question: PermissionQuestion, name: string): Promise<void> {
    const mayRun = await this.#asked.ask(question, name);
    const text = mayRun ? 'The sub-agent may run this.' : 'The sub-agent may not run this.';
    const result = { type: 'block' as const, message: `${name} answer`, role: 'tool' as const, tool_call_id: name };
    this.#queue?.push({ type: 'events', events: [{ ...result, block: { type: 'text', text } }] });
  }

  *#close({ report, spent, failure }: Extract<RunFact, { type: 'turn-closed' }>): Generator<ProviderEvent> {
    yield* this.#live.finish();
    if (this.#call.signal.aborted) {
      yield { type: 'call-error', error: { code: 'stopped', message: 'It was told to stop.' } };
      return;
    }
    const so = this.#live.usage();
    if (spent !== undefined) {
      const { input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd } = spent;
      const counted =
        output_tokens < so.output_tokens
          ? so
          : { input_tokens, output_tokens, cached_input_tokens, cache_write_tokens };
      yield { type: 'usage', usage: { ...counted, cost_usd } };
    }
    yield { type: 'note', data: { claude_result: noteOfResult(report) } };
    if (failure !== undefined) yield { type: 'call-error', error: callErrorOf(failure) };
    else yield { type: 'call-end', reason: finishOf(report['stop_reason']) };
  }

  *#fail({ complaints, exit }: Extract<Signal, { type: 'ended' }>): Generator<ProviderEvent> {
    yield* this.#live.finish();
    const why = complaints === '' ? '' : ` It said: ${complaints.slice(-600)}`;
    const message = `Claude Code ended in the middle of its turn.${why}`;
    const error = this.#call.signal.aborted
      ? ({ code: 'stopped', message } as const)
      : ({ code: 'failed', message, detail: endOf('Claude Code', exit, complaints) } as const);
    yield { type: 'call-error', error };
  }
}

function named(of: { heard?: string }, uuid: string, blocks: number): ProviderEvent {
  const keys = Array.from({ length: blocks }, (_, index) => (index === 0 ? uuid : `${uuid}#${index}`));
  return { type: 'named', ...of, origin: { source, id: uuid }, keys };
}

function finishOf(reason: unknown): 'stop' | 'length' | 'refusal' {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'refusal' ? 'refusal' : 'stop';
}
