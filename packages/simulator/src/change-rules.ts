import type { RootState } from '@loom/kernel';
import type { Change, NodeSeed, RootOp } from '@loom/kernel/logs';
import { needsPerson } from './fakes/fake-tools.ts';
import type { Report } from './violation.ts';

/** The agent that edits messages such that answers stay below the original question; others edit blocks in place. */
export const branchingEditor = 'person:bea';

/** Checks every change against all changes before it. */
export class ChangeRules {
  readonly #report: Report;
  readonly #requests = new Set<string>();
  readonly #nodes = new Set<string>();
  readonly #blocks = new Set<string>();
  readonly #turns = new Set<string>();
  readonly #started = new Set<string>();
  /** The texts that models were about to say, and the text that has arrived in each block. */
  readonly #spoken: string[];
  readonly #written = new Map<string, string>();
  /** The last node of each turn. */
  readonly #tips = new Map<string, string>();
  /** The blocks of each accepted message, by the message; empty once it was taken. */
  readonly #accepted = new Map<string, readonly string[]>();

  /** `spoken` holds the models' texts, from any conversation. */
  constructor(report: Report, spoken: string[]) {
    this.#report = report;
    this.#spoken = spoken;
  }

  /** Notes a text that a model is about to say. */
  hear(words: string): void {
    this.#spoken.push(readable(words));
  }

  /** `before` is the state just before the change is applied. */
  check(change: Change<RootOp>, before: RootState): void {
    const request = `${change.agent} ${change.request}`;
    if (this.#requests.has(request)) this.#report('id-once', `${request} is in the log twice`);
    this.#requests.add(request);
    this.#checkFence(before, change.turn, `change ${change.seq}`);
    const placed = new Set(change.ops.flatMap((op) => (op.type === 'node-added' ? [idsOf(op.node)] : [])));
    const aborted = new Set(
      change.ops.flatMap((op) => (op.type === 'turn-ended' && op.reason === 'aborted' ? [op.turn] : [])),
    );
    // A block that an undo restores has its former id.
    const isUndo = change.ops.some(({ type }) => type === 'undone');
    for (const op of change.ops) {
      if (!(isUndo && op.type === 'block-added')) this.#checkOp(op, before, { placed, aborted });
      if (change.agent === branchingEditor) this.#checkQuestion(op, before);
    }
  }

  /** Returns true if a message has ever been accepted. */
  wasAccepted(message: string): boolean {
    return this.#accepted.has(message);
  }

  /** Accepted messages that have no place yet. */
  get waiting(): string[] {
    return [...this.#accepted].flatMap(([id, blocks]) => (blocks.length > 0 ? [id] : []));
  }

  /** `placed` are the blocks of new nodes, `aborted` the turns that the change ends in a user's name. */
  #checkOp(
    op: RootOp,
    before: RootState,
    { placed, aborted }: { placed: ReadonlySet<string>; aborted: ReadonlySet<string> },
  ): void {
    switch (op.type) {
      case 'node-added':
        this.#checkFence(before, op.node.turn, op.node.id);
        this.#checkPlace(before, op.node);
        this.#claim(this.#nodes, op.node.id);
        for (const block of op.node.blocks) {
          if (!this.#isAccepted(block.block_id)) this.#claim(this.#blocks, block.block_id);
        }
        return;
      case 'text-appended':
        this.#checkWords(op.block, op.text);
        return;
      case 'block-added':
        this.#claim(this.#blocks, op.block.block_id);
        return;
      case 'node-changed':
        if (op.set.tool !== undefined && isAnswered(before.node(op.node)?.tool)) {
          this.#report('paired', `${op.node} was answered already and is made ${op.set.tool}`);
        }
        return;
      case 'turn-started':
        this.#claim(this.#turns, op.turn);
        return;
      case 'turn-retrying':
      case 'turn-taken':
      case 'turn-ended':
        this.#checkFence(before, op.turn, op.type);
        return;
      case 'approval':
        this.#checkFence(before, op.turn, op.type);
        if (before.approvals.has(op.node)) this.#report('approved', `${op.node} is decided about twice`);
        return;
      case 'tool-started':
        this.#checkFence(before, op.turn, op.type);
        if (this.#started.has(op.node)) this.#report('tool-once', `${op.node} is started twice in the log`);
        this.#started.add(op.node);
        this.#checkApproval(before, op.node);
        return;
      case 'message-waiting': {
        this.#checkFence(before, op.turn, op.type);
        if (this.#accepted.has(op.id)) this.#report('id-once', `message ${op.id} is accepted twice`);
        const ids = op.blocks.map((block) => block.block_id ?? '');
        for (const id of ids) this.#claim(this.#blocks, id);
        this.#accepted.set(op.id, ids);
        return;
      }
      case 'message-taken': {
        const ids = this.#accepted.get(op.id)?.join(' ') ?? '';
        // An abort returns messages to the agents that sent them.
        const isReturned = aborted.has(before.waiting.get(op.id)?.turn ?? '');
        if (ids === '' || (!placed.has(ids) && !isReturned))
          this.#report('message-once', `${op.id} is taken without getting its place`);
        this.#accepted.set(op.id, []);
        return;
      }
      default:
    }
  }

  /** The message that a turn is answering may be branched from, not rewritten. */
  #checkQuestion(op: RootOp, before: RootState): void {
    if (op.type !== 'text' && op.type !== 'unit') return;
    const node = before.nodeOfBlock.get(op.block) ?? '';
    const turn = [...before.liveTurns].find((live) => before.turns.get(live)?.node === node);
    if (turn !== undefined && before.index.liveChildCount(node) === 0) {
      this.#report('question-kept', `${op.block} is rewritten while ${turn} is answering ${node}`);
    }
  }

  /** A turn writes one chain: each of its messages hangs below the one before. */
  #checkPlace(before: RootState, { id, parent, turn }: NodeSeed): void {
    if (turn === undefined) return;
    const above = this.#tips.get(turn) ?? before.turns.get(turn)?.node;
    if (parent !== above) this.#report('paired', `${id} of ${turn} hangs below ${parent}, not below ${above}`);
    this.#tips.set(turn, id);
  }

  #checkWords(block: string, text: string): void {
    const written = (this.#written.get(block) ?? '') + readable(text);
    this.#written.set(block, written);
    if (!this.#spoken.some((words) => words.startsWith(written))) {
      this.#report('words-kept', `${block} says ${JSON.stringify(written)}, which no model has said`);
    }
  }

  #isAccepted(block: string | undefined): boolean {
    return [...this.#accepted.values()].some((ids) => ids.includes(block ?? ''));
  }

  #claim(taken: Set<string>, id = 'a block without an id'): void {
    if (taken.has(id)) this.#report('id-once', `${id} is there twice`);
    taken.add(id);
  }

  #checkFence(before: RootState, turn: string | undefined, what: string): void {
    const ended = before.turns.get(turn ?? '')?.ended;
    if (ended !== undefined) this.#report('fenced', `${what} of ${turn} comes after its end (${ended.reason})`);
  }

  #checkApproval(before: RootState, id: string): void {
    const source = before.node(id)?.source;
    const name = source?.type === 'tool_result' ? source.tool_name : '';
    if (!needsPerson(name)) return;
    const decision = before.approvals.get(id)?.decision;
    if (decision !== 'approved' && decision !== 'answered') {
      this.#report('approved', `${id} (${name}) starts, but is ${decision ?? 'undecided'}`);
    }
  }
}

/** Half an emoji becomes something else on its way; other rules check that. */
function readable(text: string): string {
  return text.replace(/\P{ASCII}/gu, '');
}

function idsOf(node: NodeSeed): string {
  return node.blocks.map((block) => block.block_id ?? '').join(' ');
}

function isAnswered(tool: NodeSeed['tool']): boolean {
  return tool !== undefined && tool !== 'waiting' && tool !== 'running';
}
