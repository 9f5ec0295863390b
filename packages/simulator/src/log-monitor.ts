import type { Approval, ToolInvocation } from '@loom/kernel';
import type { Change, RootOp } from '@loom/kernel/logs';
import type { AppendRequest, LogHead, LogRecord, Store } from '@loom/kernel/store';
import { RootState } from '@loom/kernel';
import { isWrongHead, readHeads, rootCodec as codec } from '@loom/kernel/logs';
import { ChangeRules } from './change-rules.ts';
import { needsPerson } from './fakes/fake-tools.ts';
import { checkPrefixes } from './prefix-rules.ts';
import { StateEquality } from './state-equality.ts';
import { checkTurn } from './state-rules.ts';
import type { Report } from './violation.ts';

/** Follows the durable log of a root, change by change, and checks it and the kernels' states against the invariants. */
export class LogMonitor {
  readonly root: string;
  readonly #report: Report;
  readonly #rules: ChangeRules;
  readonly #equality = new StateEquality();
  readonly #changes: Change<RootOp>[] = [];
  readonly #starts = new Map<string, number>();
  readonly #state: RootState;
  #head: LogHead | undefined;

  constructor(root: string, report: Report, spoken: string[] = []) {
    this.root = root;
    this.#report = report;
    this.#rules = new ChangeRules(report, spoken);
    this.#state = new RootState(root);
  }

  /** The present state of the durable log. */
  get state(): RootState {
    return this.#state;
  }

  get changes(): readonly Change<RootOp>[] {
    return this.#changes;
  }

  /** Accepted messages that have no place yet. */
  get waitingMessages(): string[] {
    return this.#rules.waiting;
  }

  /** Returns true if a turn has ever belonged to a process. */
  hasHeld(holder: string, turn: string): boolean {
    return this.#changes.some(({ ops }) =>
      ops.some(
        (op) => (op.type === 'turn-started' || op.type === 'turn-taken') && op.turn === turn && op.holder === holder,
      ),
    );
  }

  /** Notes a text that a model is about to say. */
  hear(words: string): void {
    this.#rules.hear(words);
  }

  /** Applies records that have become durable. */
  follow({ records, head }: Pick<AppendRequest, 'records' | 'head'>): void {
    for (const change of records.flatMap(({ text }) => codec.decode(text))) {
      this.#rules.check(change, this.#state);
      this.#apply(this.#state, change);
      this.#changes.push(change);
      for (const turn of turnsOf(change)) this.#checkTurn(turn);
      for (const op of change.ops) if (op.type === 'turn-ended') checkPrefixes(this.#state, op.turn, this.#report);
    }
    if (head !== 'same') this.#head = head;
    this.#checkHead(this.#head, `at ${this.#state.seq}`);
  }

  /** Checks that a kernel's state, at whatever seq it has reached, is the log's up to there. */
  checkState(live: RootState, whose: string): void {
    const expected = live.seq === this.#state.seq ? this.#state : this.#reduce(live.seq);
    const difference = this.#equality.findDifference(live, expected);
    if (difference !== undefined) {
      this.#report('state-equal', `${whose} at ${live.seq} differs from the log in ${difference}`);
    }
  }

  /** Reads the log again from its first byte on: the result must equal the followed state. */
  async checkReload(store: Store): Promise<void> {
    const contents = await store.read(this.root, 0);
    const state = new RootState(this.root);
    for (const { text } of contents?.records ?? []) for (const change of codec.decode(text)) this.#apply(state, change);
    const difference = new StateEquality().findDifference(state, this.#state);
    if (difference !== undefined) this.#report('state-equal', `the log reduced anew differs in ${difference}`);
    this.#checkHead((await readHeads(store)).get(this.root), 'in the store');
    for (const turn of state.turns.keys()) this.#checkTurn(turn);
  }

  /** Checks the start of a tool: the log must have the call, and the user's approval if one is needed. */
  checkStart({ id, name, arguments: exact }: ToolInvocation): void {
    const starts = (this.#starts.get(id) ?? 0) + 1;
    this.#starts.set(id, starts);
    if (starts > 1) this.#report('tool-once', `call ${id} ran ${starts} times`);
    const node = [...this.#state.nodes.values()].findLast(({ tool_call_id: call }) => call === id);
    if (node === undefined || !this.#state.startedTools.has(node.id)) {
      this.#report('tool-once', `call ${id} runs, but the log does not say that it started`);
    }
    if (!needsPerson(name)) return;
    const approval = this.#state.approvals.get(node?.id ?? '');
    if (approval === undefined || approval.decision === 'denied' || approval.arguments !== exact) {
      this.#report('approved', `call ${id} runs with ${exact}; ${approval?.arguments ?? 'nothing'} was approved`);
    }
  }

  /** Checks an agent's action on a user's decision about a call that it runs itself. */
  checkDecision(id: string, decision: Approval['decision']): void {
    const node = [...this.#state.nodes.values()].findLast(({ tool_call_id: call }) => call === id);
    const approval = this.#state.approvals.get(node?.id ?? '');
    if (approval?.decision !== decision) {
      this.#report('approved', `an agent is told that ${id} is ${decision}; the log says ${approval?.decision}`);
    }
  }

  /** Checks a message that an agent has read while it speaks. */
  checkHeard(message: string): void {
    if (!this.#rules.wasAccepted(message)) this.#report('message-once', `${message} is heard, but was not accepted`);
  }

  /** Without a head, a list reads the whole log. */
  #checkHead(head: LogHead | undefined, where: string): void {
    if (head === undefined || !isWrongHead(head, this.#state)) return;
    this.#report('head-true', `the head of ${this.root} ${where} says ${head.text}`);
  }

  #checkTurn(id: string): void {
    const turn = this.#state.turns.get(id);
    if (turn !== undefined) checkTurn(this.#state, turn, this.#report);
  }

  #reduce(seq: number): RootState {
    const state = new RootState(this.root);
    for (const change of this.#changes.slice(0, seq)) this.#apply(state, change);
    return state;
  }

  #apply(state: RootState, change: Change<RootOp>): void {
    try {
      state.apply(change);
    } catch (error) {
      this.#report('state-equal', `change ${change.seq} cannot be applied: ${String(error)}`);
    }
  }
}

/** Returns the turns that a change concerns. */
function turnsOf(change: Change<RootOp>): Set<string> {
  const turns = new Set<string>(change.turn === undefined ? [] : [change.turn]);
  for (const op of change.ops) if ('turn' in op && op.turn !== undefined) turns.add(op.turn);
  return turns;
}

/** Returns the turns that records, durable or not, concern. */
export function turnsOfRecords(records: readonly LogRecord[]): Set<string> {
  return new Set(records.flatMap(({ text }) => codec.decode(text).flatMap((change) => [...turnsOf(change)])));
}
