import { randomUUID } from 'node:crypto';
import type { PlainObject } from '@loom/blocks';
import { createStreamReader } from '@loom/exchange/claude-code';
import type { StreamFact } from '@loom/exchange/claude-code';
import type { ApprovalMode, Clock, ProviderEvent } from '@loom/kernel';
import type { LineChannel, WarmProcess } from '../agent-cli/index.ts';
import { LateAgents } from './late-agents.ts';
import type { LateAgent } from './late-agents.ts';
import { claudeModes } from './modes.ts';
import { denial } from './permission-ask.ts';
import { SignalQueue } from './signal-queue.ts';

/** A signal for the turn that listens to a process. */
export type Signal =
  | { type: 'fact'; fact: StreamFact }
  /** Events that a question of a sub-agent leads to. */
  | { type: 'events'; events: readonly ProviderEvent[] }
  | { type: 'ended'; complaints: string; exit?: number | string | undefined };

/** The time that an interrupted process has to end its turn, in milliseconds; then it is stopped. */
const interruptTime = 1_500;

/** A running Claude Code: turns are asked of it one after the other, and it may begin some without being asked. */
export class ClaudeProcess implements WarmProcess {
  readonly #channel: LineChannel;
  readonly #clock: Clock;
  readonly #reader = createStreamReader();
  readonly #responses = new Map<string, (value: PlainObject | undefined) => void>();
  readonly #whenClosed: (() => void)[] = [];
  readonly #agents = new LateAgents((agent) => this.#late?.(agent));
  #queue: SignalQueue<Signal> | undefined;
  #begun: ((process: ClaudeProcess) => void) | undefined;
  #late: ((agent: LateAgent) => void) | undefined;
  #moded: ((mode: ApprovalMode) => void) | undefined;
  #tasks = 0;
  #isTurnOpen = false;
  #cancelWatch: (() => void) | undefined;
  /** The last turn of Loom in which it spoke. */
  turn: string | undefined;
  /** The last named line of its session. */
  line: string | undefined;
  session: string | undefined;
  /** The end of a task in its background, in words. */
  ended: string | undefined;
  /** The permission mode that it is in, in its own words, as far as it was said. */
  permissionMode: string | undefined;

  constructor(channel: LineChannel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
    const ended = (): void => this.#end();
    void channel.listen({ line: (text) => this.#read(text), ended }, () => this.#room());
  }

  get isOver(): boolean {
    return this.#channel.isOver;
  }

  get isBusy(): boolean {
    return this.#tasks > 0 || this.#isTurnOpen;
  }

  /** Calls back when it begins a turn without being asked. */
  onBegun(begun: (process: ClaudeProcess) => void): void {
    this.#begun = begun;
  }

  /** Calls back when a sub-agent goes on although the turn that has sent it out is over. */
  onLate(late: (agent: LateAgent) => void): void {
    this.#late = late;
  }

  /** Calls back when a person has allowed it another mode. */
  onMode(moded: (mode: ApprovalMode) => void): void {
    this.#moded = moded;
  }

  /** Notes that a person has allowed it another mode, in which it goes on once it is told. */
  goOn(mode: ApprovalMode): void {
    this.permissionMode = claudeModes[mode].name;
    this.#moded?.(mode);
  }

  /** Says no more of a late sub-agent. */
  forget(agent: LateAgent): void {
    this.#agents.forget(agent);
  }

  /** Listens to it until `leave`. */
  listen(): SignalQueue<Signal> {
    this.#queue ??= new SignalQueue(joinPieces);
    if (this.isOver)
      this.#queue.push({ type: 'ended', complaints: this.#channel.complaints, exit: this.#channel.exit });
    return this.#queue;
  }

  /** Ends listening. What came behind the end of the turn, and was not heard by it, is for those who listen next. */
  leave(): void {
    const rest = this.#queue?.end() ?? [];
    this.#queue = undefined;
    for (const signal of rest) {
      if (signal.type === 'fact') this.#take(signal.fact);
      else if (signal.type === 'ended') this.#tellEnd(signal);
    }
  }

  /** Says a message to the model. */
  say(uuid: string, content: readonly PlainObject[]): void {
    this.#isTurnOpen = true;
    this.#channel.send({
      type: 'user',
      message: { role: 'user', content },
      uuid,
      session_id: '',
      parent_tool_use_id: null,
    });
  }

  /** Answers a question. */
  answer(id: string, response: PlainObject): void {
    this.#channel.send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  /** Asks the program itself; `undefined` if it refuses or ends. */
  request(request: PlainObject): Promise<PlainObject | undefined> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<PlainObject | undefined>();
    if (this.isOver) resolve(undefined);
    else this.#responses.set(id, resolve);
    this.#channel.send({ type: 'control_request', request_id: id, request });
    return promise;
  }

  /** Interrupts its turn. A process that does not end the turn in time is stopped. */
  interrupt(): void {
    if (!this.#isTurnOpen || this.#cancelWatch !== undefined) return;
    void this.request({ subtype: 'interrupt' });
    this.#cancelWatch = this.#clock.after(interruptTime, () => void this.stop());
  }

  /** Resolves when no turn is open, or it has ended. */
  atRest(): Promise<void> {
    if (!this.#isTurnOpen || this.isOver) return Promise.resolve();
    return new Promise((resolve) => void this.#whenClosed.push(resolve));
  }

  async stop(): Promise<void> {
    await this.#channel.stop();
  }

  async #room(): Promise<void> {
    await Promise.all([this.#queue?.room(), this.#agents.room()]);
  }

  #read(text: string): void {
    for (const fact of this.#reader.step(text)) this.#take(fact);
  }

  #take(fact: StreamFact): void {
    switch (fact.type) {
      case 'response':
        this.#responses.get(fact.id)?.(fact.ok ? fact.value : undefined);
        this.#responses.delete(fact.id);
        return;
      case 'tasks-changed':
        this.#tasks = fact.running;
        break;
      case 'task-ended':
        this.ended = fact.summary;
        break;
      case 'mode-changed':
        this.permissionMode = fact.mode;
        break;
      case 'turn-opened':
        this.session = fact.session;
        if (typeof fact.report['permissionMode'] === 'string') this.permissionMode = fact.report['permissionMode'];
        if (this.#queue === undefined && !this.#isTurnOpen && this.#begun !== undefined) {
          this.#isTurnOpen = true;
          this.listen();
          this.#begun(this);
        }
        break;
      default:
    }
    const isLate = this.#agents.take(fact, this.#queue);
    if (!isLate) this.#queue?.push({ type: 'fact', fact });
    if (fact.type === 'question' && !this.#isHeard(fact.question.agent))
      this.answer(fact.question.id, denial('No person could be asked: the turn is over.'));
    if (fact.type === 'turn-closed') this.#close();
  }

  /** Returns true if a turn takes a question: else it would wait for ever. */
  #isHeard(agent: string | undefined): boolean {
    return this.#queue !== undefined || (agent !== undefined && this.#agents.hears(agent));
  }

  #close(): void {
    this.#isTurnOpen = false;
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    for (const resolve of this.#whenClosed.splice(0)) resolve();
  }

  #tellEnd(ended: Signal): void {
    this.#queue?.push(ended);
    this.#agents.end(ended);
  }

  #end(): void {
    this.#tellEnd({ type: 'ended', complaints: this.#channel.complaints, exit: this.#channel.exit });
    for (const resolve of this.#responses.values()) resolve(undefined);
    this.#responses.clear();
    this.#close();
  }
}

/** The longest text that waiting pieces are joined to, in characters. */
const longestPiece = 16 * 1024;

/** Joins pieces of one block that wait: a listener that is behind takes them at once, and each would cost it as much as all. */
function joinPieces(last: Signal, next: Signal): Signal | undefined {
  if (last.type !== 'fact' || next.type !== 'fact') return undefined;
  const [before, piece] = [last.fact, next.fact];
  if (before.type !== 'part-grown' || piece.type !== 'part-grown' || before.text.length > longestPiece)
    return undefined;
  const isSame = before.message === piece.message && before.index === piece.index && before.field === piece.field;
  return isSame ? { type: 'fact', fact: { ...piece, text: before.text + piece.text } } : undefined;
}
