import { z } from 'zod';
import { estimateInputTokens } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolBlock } from '@loom/blocks';
import type { PrefixChain } from '../../context/prefix.ts';
import { isoTime } from '../../iso-time.ts';
import type { SourceInfo, Usage } from '../../node-metadata.ts';
import { withNewId } from '../../forest/editing/append.ts';
import { removeAlone } from '../../forest/editing/remove.ts';
import { nameRoot, withExported } from '../../state/foreign-names.ts';
import { messageOf } from '../../state/node-state.ts';
import type { NodeSeed, RootOp } from '../../op.ts';
import type { ProviderEvent } from '../../provider.ts';
import type { RootState } from '../../state/root-state.ts';
import { BlockStream, storedForm } from '../output/block-stream.ts';
import { CallPrefixes } from './call-prefixes.ts';
import type { CallBlock } from './call-prefixes.ts';
import { findCall, firstNode, isErrorResult, joinNotes, resultFields, withRepeated } from './message-parts.ts';
import type { BlockStart } from './message-parts.ts';
import { outsourceLarge } from '../output/large-output.ts';
import type { CallFailure } from './provider-door.ts';
import { callState, isRunByProvider } from '../turn-decisions.ts';
import type { TurnWriter } from '../turn-writer.ts';

type EventOf<Type extends ProviderEvent['type']> = Extract<ProviderEvent, { type: Type }>;

/** The facts that all messages of a call have in common. */
export interface MessageOrigin {
  /** The node that the first message hangs below. */
  place: string;
  source: SourceInfo;
  provider: string;
  /** The context that the model is shown before its first word. */
  chain: PrefixChain;
  /** True if its first words go on with those of the place, without a seam. */
  continues?: boolean;
  /** True if it is not what the turn was asked for, and does not take the place of that. */
  isAside?: boolean;
}

/**
 * Turns what a provider says into nodes and blocks. A new message is a new node below the last one; a block is there from
 * its first event on and grows; at its end it gets the hash of what its model had been shown before it.
 */
export class MessageWriter {
  readonly #writer: TurnWriter;
  readonly #source: SourceInfo;
  readonly #prefixes: CallPrefixes;
  readonly #stream: BlockStream;
  readonly #continues: boolean;
  readonly #isAside: boolean;
  /** The time at which the model was called. */
  readonly #started: string;
  readonly #nodeOfMessage = new Map<string, string>();
  /** The nodes of the results of calls that the provider runs itself. */
  readonly #nodeOfCall = new Map<string, string>();
  readonly #blockOfKey = new Map<string, { message: string; block: string }>();
  readonly #ownNodes = new Set<string>();
  /** The ids of calls whose arguments are complete, and who waits for others. */
  readonly #completeCalls = new Set<string>();
  readonly #callOfKey = new Map<string, string>();
  /** The node that the call answers, and those of messages that came while it spoke. */
  readonly #answered: string;
  readonly #nodeOfHeard = new Map<string, string>();
  readonly #awaitedCalls = new Map<string, (() => void)[]>();
  #isOver = false;
  /** The last message that is the model's own, and its node. */
  #last: { message: string; node: string } | undefined;
  /** The node that the next message hangs below. */
  #place: string;
  /** A node of the model's own from which everything was taken back; the next message goes there. */
  #vacant: string | undefined;
  /** The note that is kept on the first node. */
  #note: PlainObject | undefined;
  /** The estimated input of the model, in tokens. */
  #expectedInput = 0;
  #lostTokens = 0;
  #usage: Usage | undefined;
  #finishReason: string | undefined;
  #lastError: string | undefined;
  #isFinished = false;

  constructor(writer: TurnWriter, { place, source, provider, chain, continues, isAside }: MessageOrigin) {
    this.#writer = writer;
    this.#continues = continues ?? false;
    this.#isAside = isAside ?? false;
    this.#place = place;
    this.#answered = place;
    this.#source = source;
    this.#prefixes = new CallPrefixes(chain, provider);
    this.#stream = new BlockStream(writer);
    this.#started = this.#now;
    // The cost of a stopped call up to the stop is known too.
    writer.holdBack(() => this.#sayCost());
  }

  /** True if nothing was said yet, or everything was taken back. */
  get isSilent(): boolean {
    return this.#nodeOfMessage.size === 0;
  }

  /** The reason that the model ended its answer, once it has. */
  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** The nodes of the model's own messages, in their order. */
  get nodes(): string[] {
    return [...this.#ownNodes];
  }

  async start(given: BlockStart): Promise<void> {
    const event = { ...given, block: await this.#outsource(given.block, given.role) };
    this.#lastError = event.block.type === 'error' ? event.block.message : undefined;
    // An id that is used again is that of another call.
    if (event.block.type === 'tool-use') this.#nodeOfCall.delete(event.block.id);
    const isWhole = event.type === 'block';
    const { id, node } = await this.#addBlock(event, isWhole ? 'done' : 'running');
    const said: CallBlock = { id, block: storedForm(event.block), ended: isWhole };
    this.#prefixes.add(node, event, said);
    if (event.type === 'block') {
      this.#writeSoon(this.#prefixes.take());
      if (event.block.type === 'tool-use') this.#noteCall(event.block.id);
      return;
    }
    if (event.block.type === 'tool-use') this.#callOfKey.set(event.key, event.block.id);
    this.#blockOfKey.set(event.key, { message: event.message, block: id });
    this.#stream.open(event.key, said, event.role);
  }

  /** Resolves when there is room for more. */
  delta({ key, field, text }: EventOf<'block-delta'>): Promise<void> {
    return this.#stream.append(key, field, text);
  }

  async end({ key, block }: EventOf<'block-end'>): Promise<void> {
    const ended = await this.#stream.end(key, block);
    this.#writeSoon([...ended, ...this.#prefixes.take()]);
    const call = this.#callOfKey.get(key);
    if (call !== undefined) this.#noteCall(call);
  }

  /**
   * Takes a block out of its node again; the log keeps its content. A node of the model that is left empty takes the next
   * message, or goes if something stands behind it already.
   */
  async retract({ key }: EventOf<'retract'>): Promise<void> {
    const said = this.#blockOfKey.get(key);
    if (said === undefined) return;
    this.#blockOfKey.delete(key);
    await this.#stream.drop(key);
    const node = this.#nodeOfMessage.get(said.message) ?? '';
    this.#prefixes.remove(node, said.block);
    await this.#writer.flush();
    const isPassed = node !== this.#place;
    const isEmpty = await this.#writer.write(z.boolean(), (state) => {
      const holder = state.nodes.get(node);
      const isLeft = holder?.role === 'assistant' && holder.blocks.every(({ block_id: id }) => id === said.block);
      const ops: RootOp[] = state.block(said.block) === undefined ? [] : [{ type: 'block-removed', block: said.block }];
      if (isLeft && isPassed) ops.push(...removeAlone(state, holder));
      return { ok: true, ops, value: isLeft };
    });
    this.#writeSoon(this.#prefixes.take());
    if (!isEmpty) return;
    this.#nodeOfMessage.delete(said.message);
    if (isPassed) this.#forgetOwn(node);
    else this.#vacant = node;
  }

  /** A node of the model's own is gone, though others came behind it. */
  #forgetOwn(node: string): void {
    this.#ownNodes.delete(node);
    if (this.#last?.node !== node) return;
    const [message, before] = [...this.#nodeOfMessage].findLast(([, own]) => this.#ownNodes.has(own)) ?? [];
    this.#last = message === undefined || before === undefined ? undefined : { message, node: before };
  }

  /** Says where a call that the provider runs itself stands. */
  async setCallState({ call, state: tool }: EventOf<'tool-state'>): Promise<void> {
    const node = await this.callNode(call);
    const now = this.#now;
    let ops: RootOp[] = [];
    await this.#writer.writeOps((state) => (ops = callState(state, node, tool, now)));
    for (const op of ops) this.#noteState(op, node, call);
    this.#writeSoon(this.#prefixes.take());
  }

  /** Notes an error state of a result, or the stand-in for a missing one: both are shown before the model's next words. */
  #noteState(op: RootOp, node: string, call: string): void {
    if (op.type === 'block-added') {
      const said = { id: op.block.block_id ?? '', block: storedForm(op.block), ended: true };
      this.#prefixes.add(node, { role: 'tool', tool_call_id: call }, said);
    } else if (op.type === 'node-changed' && op.set.tool !== 'running') {
      this.#prefixes.answer(node, { role: 'tool', tool_call_id: call, is_error: op.set.is_error === true });
    }
  }

  /** Adds a block to the result of a call that the provider runs itself. */
  async addToResult(call: string, given: ToolBlock): Promise<void> {
    const node = await this.callNode(call);
    const { agent } = this.#writer.scope;
    await this.#writer.writeOps((state) => {
      const block: MessageBlock = { ...given, block_id: state.newBlockId(agent), status: 'done' };
      return [{ type: 'block-added', node, index: state.nodes.get(node)?.blocks.length ?? 0, block }];
    });
  }

  /** The node of the result of a call that the provider runs itself; it waits if it was not there. */
  async callNode(call: string): Promise<string> {
    const known = this.#nodeOfCall.get(call);
    if (known !== undefined) return known;
    await this.#writer.flush();
    const parent = this.#place;
    const { turn } = this.#writer.scope;
    const added = await this.#writer.write(z.string(), (state) => {
      const id = state.newNodeId();
      const source = { type: 'tool_result' as const, tool_name: findCall(state, parent, call)?.name ?? '' };
      const node: NodeSeed = {
        id,
        parent,
        role: 'tool',
        blocks: [],
        source,
        tool_call_id: call,
        turn,
        tool: 'waiting',
      };
      return { ok: true, ops: [{ type: 'node-added', node }], value: id };
    });
    this.#nodeOfCall.set(call, added);
    this.#place = added;
    return added;
  }

  /** Returns the node of a call that a person can be asked about. Throws if there is none, or it has begun undecided. */
  async nodeToAskAbout(call: string): Promise<string> {
    await this.#readCall(call);
    await this.#writer.flush();
    const state = await this.#writer.state();
    const made = findCall(state, this.#place, call);
    if (!isRunByProvider(made) || made?.status !== 'done') {
      throw new Error(`a person is asked about ${call}, which is no complete call that the provider runs itself`);
    }
    const node = await this.callNode(call);
    const isOpen = (await this.#writer.state()).nodes.get(node)?.tool === 'waiting';
    if (!isOpen && !state.approvals.has(node)) throw new Error(`a person is asked about ${call}, which has begun`);
    return node;
  }

  /** Waits until a call is complete, or the provider has said its last word: it may ask about a call before that was read from it. */
  #readCall(call: string): Promise<void> {
    if (this.#completeCalls.has(call) || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#writer.scope.clock.after(callPatience, resolve);
      const others = this.#awaitedCalls.get(call) ?? [];
      this.#awaitedCalls.set(call, [...others, () => (cancel(), resolve())]);
    });
  }

  #noteCall(id: string): void {
    this.#completeCalls.add(id);
    for (const resolve of this.#awaitedCalls.get(id) ?? []) resolve();
    this.#awaitedCalls.delete(id);
  }

  /** Notes that the provider says nothing more: awaited calls do not come. */
  close(): void {
    this.#isOver = true;
    for (const resolve of [...this.#awaitedCalls.values()].flat()) resolve();
    this.#awaitedCalls.clear();
  }

  /** Puts a message that has reached the model below the messages so far. */
  async hear({ id }: EventOf<'heard'>): Promise<void> {
    await this.#writer.flush();
    const parent = this.#place;
    const { turn } = this.#writer.scope;
    const value = z.string().nullable();
    let blocks: readonly MessageBlock[] = [];
    const heard = await this.#writer.write(value, (state) => {
      const message = state.waiting.get(id);
      if (message === undefined || message.turn !== turn) return { ok: true, ops: [], value: null };
      ({ blocks } = message);
      const node = { id: state.newNodeId(), parent, role: 'user' as const, blocks: message.blocks, turn };
      const added: RootOp = { type: 'node-added', node: { ...node, source: { type: 'user' } } };
      return { ok: true, ops: [added, { type: 'message-taken', id }], value: node.id };
    });
    if (heard === null) return;
    this.#nodeOfHeard.set(id, heard);
    this.#goBehind(heard, blocks);
  }

  /** Puts a message that the agent's program wrote in a person's name below the messages so far. */
  async notice({ message, kind, blocks: given, origin, keys = [] }: EventOf<'notice'>): Promise<void> {
    await this.#writer.flush();
    const parent = this.#place;
    const { turn, agent } = this.#writer.scope;
    let blocks: MessageBlock[] = [];
    const added = await this.#writer.write(z.string(), (state) => {
      blocks = given.map((block) => withNewId(state, agent, block));
      const id = state.newNodeId();
      const note = origin === undefined ? {} : { note: withExported({}, origin.source, { id: origin.id, keys }) };
      const seed = {
        id,
        parent,
        role: 'user' as const,
        blocks,
        source: { type: 'user' as const },
        turn,
        notice: { kind },
      };
      const named = origin === undefined ? seed : { ...seed, origin, ...note };
      return { ok: true, ops: [{ type: 'node-added', node: named }], value: id };
    });
    this.#nodeOfMessage.set(message, added);
    this.#goBehind(added, blocks);
  }

  /** The model's next words come behind a message that it has read. */
  #goBehind(node: string, blocks: readonly MessageBlock[]): void {
    this.#place = node;
    this.#vacant = undefined;
    for (const block of blocks) {
      const said = { id: block.block_id ?? '', block: storedForm(block), ended: true };
      this.#prefixes.add(node, { role: 'user' }, said);
    }
  }

  /** Gives a message the name that it has in the session of its agent. One that came from there says so; a person's own is only known there by it. */
  async name(event: EventOf<'named'>): Promise<void> {
    const write = (state: RootState): RootOp[] => this.#nameOps(state, event);
    // A program goes on speaking meanwhile. Only a person's message is sent to it behind its name.
    if (event.message !== undefined) return this.#writer.writeSoon(write);
    await this.#writer.writeOps(write);
  }

  /** The same for a turn that was stopped, whose fence lets nothing else through. */
  async nameLate(event: EventOf<'named'>): Promise<void> {
    const { log, agent, ids, patience } = this.#writer.scope;
    const request = { agent, id: ids.next() };
    await patience.retry(() =>
      log.append(request, z.null(), (state) => ({ ok: true, ops: this.#nameOps(state, event), value: null })),
    );
  }

  #nameOps({ nodes }: RootState, { message, heard, origin, keys = [] }: EventOf<'named'>): RootOp[] {
    const isOwn = message !== undefined;
    const asked = heard === undefined ? this.#answered : this.#nodeOfHeard.get(heard);
    const node = nodes.get((isOwn ? this.#nodeOfMessage.get(message) : asked) ?? '');
    if (node === undefined) return [];
    const note = withExported(node, origin.source, { id: origin.id, keys });
    const set = { note, ...(isOwn && node.origin === undefined ? { origin } : {}) };
    return [{ type: 'node-changed', node: node.id, set }];
  }

  /** The conversation is a session of another program from now on. */
  async nameSession({ source, id }: EventOf<'session'>): Promise<void> {
    await this.#writer.writeOps(({ config }) => nameRoot(config, source, [id]));
  }

  /** Keeps something for later calls, on a message's node, the model's last one or the one that comes next. */
  note(data: PlainObject, message?: string): void {
    const node = message === undefined ? this.#last?.node : this.#nodeOfMessage.get(message);
    if (node === undefined) {
      this.#note = joinNotes(this.#note, data);
      return;
    }
    this.#writer.writeSoon((state) => [
      { type: 'node-changed', node, set: { note: joinNotes(state.nodes.get(node)?.note, data) } },
    ]);
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Notes the expected input; `lost`: the tokens that are in a cache in vain. */
  expectInput(tokens: number, lost = 0): void {
    this.#expectedInput = tokens;
    this.#lostTokens = lost;
  }

  /** Writes the end and the cost of the message; once per call. */
  finish(finishReason: string): void {
    this.#finishReason = finishReason;
    this.#sayCost();
  }

  /** Adds a block that says what went wrong, in a separate node if nothing was said yet. */
  async fail({ code, message, retry_after_ms, detail }: CallFailure): Promise<void> {
    this.#stream.flush();
    if (this.#finishReason !== undefined && this.#lastError === message) return this.#sayCost();
    const more =
      retry_after_ms === undefined ? detail : { retry_after_ms, ...(detail === undefined ? {} : { detail }) };
    await this.start({
      type: 'block',
      message: this.#last?.message ?? 'error',
      role: 'assistant',
      block: { type: 'error', code, message, ...(more === undefined ? {} : { detail: more }) },
    });
    if (this.#finishReason !== undefined) this.#sayCost();
  }

  get #now(): string {
    return isoTime(this.#writer.scope.clock.now());
  }

  /** Writes the cost of the call, and its end if it has ended; before its first word there is no place for that. */
  #sayCost(): void {
    const [node, source, reason] = [this.#last?.node, this.#source, this.#finishReason];
    if (this.#isFinished || node === undefined || source.type !== 'model') return;
    this.#isFinished = reason !== undefined;
    const end = reason === undefined ? {} : { finish_reason: reason };
    const now = this.#now;
    this.#writer.writeSoon((state) => {
      const usage = reason === undefined || reason === 'error' ? this.#costSoFar(state) : this.#usage;
      const cost = usage === undefined ? {} : { usage: withRepeated(usage, this.#lostTokens) };
      return [{ type: 'node-changed', node, set: { source: { ...source, ...end, ...cost }, ended_at: now } }];
    });
  }

  /** Returns the cost of a call that did not reach its end: the reported one, but at least that of its words. */
  #costSoFar({ nodes }: RootState): Usage | undefined {
    const said = [...this.#ownNodes].flatMap((id) => {
      const node = nodes.get(id);
      return (node && messageOf(node, node.blocks)) ?? [];
    });
    const output = estimateInputTokens(said, undefined);
    if (output <= (this.#usage?.output_tokens ?? 0)) return this.#usage;
    return { input_tokens: this.#expectedInput, ...this.#usage, output_tokens: output, estimated: true };
  }

  #outsource(block: MessageBlock, role: 'assistant' | 'tool'): Promise<MessageBlock> {
    return outsourceLarge(block, role, this.#writer.scope.blobs);
  }

  #writeSoon(ops: RootOp[]): void {
    this.#writer.writeSoon(() => ops);
  }

  async #addBlock(event: BlockStart, status: 'done' | 'running'): Promise<{ id: string; node: string }> {
    const known = this.#nodeOfMessage.get(event.message) ?? this.#roomFor(event);
    const { agent } = this.#writer.scope;
    const added = await this.#writer.write(z.strictObject({ id: z.string(), node: z.string() }), (state, running) => {
      const id = state.newBlockId(agent);
      const block: MessageBlock = { ...event.block, block_id: id, status };
      const holder = known === undefined ? undefined : state.nodes.get(known);
      if (holder !== undefined) {
        const op: RootOp = { type: 'block-added', node: holder.id, index: holder.blocks.length, block };
        const failed = isErrorResult(event) ? callState(state, holder.id, 'error', this.#now) : [];
        return { ok: true, ops: [op, ...failed], value: { id, node: holder.id } };
      }
      const first = this.#isAside ? undefined : firstNode(state, running);
      const node = this.#seedOf(event, first ?? state.newNodeId(), block);
      return { ok: true, ops: [{ type: 'node-added', node }], value: { id, node: node.id } };
    });
    if (known === undefined) this.#place = added.node;
    this.#nodeOfMessage.set(event.message, added.node);
    if (event.role === 'assistant') this.#noteOwn(event.message, added.node);
    else this.#nodeOfCall.set(event.tool_call_id ?? '', added.node);
    return added;
  }

  #noteOwn(message: string, node: string): void {
    this.#last = { message, node };
    this.#ownNodes.add(node);
  }

  /** A node that is there for a message already: that of its call, or one that was left empty. */
  #roomFor({ role, tool_call_id: call = '' }: BlockStart): string | undefined {
    if (role === 'tool') return this.#nodeOfCall.get(call);
    const room = this.#vacant;
    this.#vacant = undefined;
    return room;
  }

  #seedOf(event: BlockStart, id: string, block: MessageBlock): NodeSeed {
    const { role, tool_call_id: call, origin } = event;
    const note = role === 'assistant' ? this.#note : undefined;
    if (role === 'assistant') this.#note = undefined;
    const continues = this.#continues && this.#ownNodes.size === 0 && block.type === 'text';
    return {
      id,
      parent: this.#place,
      role,
      ...(continues ? { continues } : {}),
      blocks: [block],
      source: role === 'tool' ? { type: 'tool_result', tool_name: '' } : this.#source,
      turn: this.#writer.scope.turn,
      ...(role === 'assistant' ? { started_at: this.#started } : {}),
      ...(call === undefined ? {} : { tool_call_id: call }),
      ...(role === 'tool' ? resultFields(event) : {}),
      ...(origin === undefined ? {} : { origin }),
      ...(note === undefined ? {} : { note }),
    };
  }
}

/** The time that a question waits for its call, in milliseconds: after that it is the provider's mistake. */
const callPatience = 10_000;
