import { liveChildren } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import { exportedAs } from '@loom/kernel/logs';
import { endsOf, keysOf, missingAbove } from '../import-note.ts';
import { loomSource } from '../origins.ts';

/** For each state, so that concurrent imports into a conversation know of each other's messages. */
const known = new WeakMap<RootState, Map<string, NodeNames>>();

/** The nodes of a conversation by their names in a source. Messages added since the last lookup are found, whatever added them. */
export class NodeNames {
  readonly #source: string;
  readonly #state: RootState;
  readonly #nodes = new Map<string, string>();
  /** Tombstones whose children kept their places. */
  readonly #passedOver = new Set<string>();
  /** The nodes by the keys of their blocks and the lines after them, built on demand: few files need it. */
  #lines: Map<string, string> | undefined;
  #hasMissing = false;
  /** Messages that hold parts of others, with these. */
  readonly #parts = new Map<string, string>();
  /** Messages that are not kept, with the kept ones above them; `undefined` for none. */
  readonly #asides = new Map<string, string | undefined>();
  /** The results of calls in live turns that have no name in the source, by their calls. */
  readonly #unnamedResults = new Map<string, string>();
  /** Continues where it stopped: nodes are never taken out of a state. It is never called beyond its end. */
  readonly #coming: Iterator<NodeState, undefined>;
  #seen = 0;

  private constructor(state: RootState, source: string) {
    this.#state = state;
    this.#source = source;
    this.#coming = state.nodes.values();
  }

  static of(state: RootState, source: string): NodeNames {
    return known.get(state)?.get(source) ?? NodeNames.renew(state, source);
  }

  /** Reads all nodes again: exports since then have given names. */
  static renew(state: RootState, source: string): NodeNames {
    const names = new NodeNames(state, source);
    const ofState = known.get(state) ?? new Map<string, NodeNames>();
    known.set(state, ofState.set(source, names));
    return names;
  }

  find(name: string): NodeState | undefined {
    this.#catchUp();
    return this.#state.nodes.get(this.#nodes.get(name) ?? '');
  }

  /** Notes that a message is not kept: messages below it go below the one above it. */
  passOver(name: string, parent: string | undefined): void {
    this.#asides.set(name, parent);
  }

  /** Returns the name of the nearest kept message at or above a name. */
  keptName(name: string): string | undefined {
    let at: string | undefined = name;
    while (at !== undefined && this.#asides.has(at)) at = this.#asides.get(at);
    return at;
  }

  /** Returns the result of a call that a live turn has heard before its name. */
  findUnnamedResult(call: string): NodeState | undefined {
    this.#catchUp();
    return this.#state.nodes.get(this.#unnamedResults.get(call) ?? '');
  }

  /** Notes the name of a message that was heard before its name. */
  noteName(node: NodeState, name: string): void {
    this.#enter(name, node.id);
    this.#unnamedResults.delete(node.tool_call_id ?? '');
  }

  /** Returns the message that a line of the source belongs to, or follows. */
  findLine(line: string): NodeState | undefined {
    this.#catchUp();
    if (this.#lines === undefined) {
      this.#lines = new Map();
      for (const node of this.#state.nodes.values()) this.#enterLines(this.#lines, node);
    }
    return this.#state.nodes.get(this.#lines.get(line) ?? '');
  }

  /** Adds blocks to a message, or lines after it. */
  noteLines(node: string, lines: Iterable<string>): void {
    if (this.#lines === undefined) return;
    for (const line of lines) if (!this.#lines.has(line)) this.#lines.set(line, node);
  }

  /** Notes that a part of the message being read stands in a separate message, which came with another file. */
  notePart(part: NodeState, whole: string): void {
    this.#parts.set(part.id, whole);
  }

  /** Returns the message that another one holds a part of. */
  wholeOf({ id }: NodeState): NodeState | undefined {
    return this.#state.nodes.get(this.#parts.get(id) ?? '');
  }

  isPart({ id }: NodeState): boolean {
    return this.#parts.has(id);
  }

  /** Returns the last of the parts below a message or one of its results: messages that the source has below these go below that. */
  lastPart(node: NodeState): NodeState {
    let last = node;
    for (;;) {
      const next = last.role === 'user' || this.#parts.size === 0 ? undefined : this.#partBelow(last);
      if (next === undefined) return last;
      last = next;
    }
  }

  #partBelow({ id }: NodeState): NodeState | undefined {
    return liveChildren(this.#state, id).find((child) => this.isPart(child));
  }

  #enterLines(all: Map<string, string>, node: NodeState): void {
    for (const line of [...keysOf(node, this.#source).keys(), ...endsOf(node)])
      if (!all.has(line)) all.set(line, node.id);
  }

  #catchUp(): void {
    for (; this.#seen < this.#state.nodes.size; this.#seen += 1) {
      const next = this.#coming.next();
      if (next.done !== true) this.#note(next.value);
    }
  }

  /** Notes the parent that an existing message has in its source. A message that was deleted alone is recognized by messages that stood below it. */
  noteParent(node: NodeState, parent: string): void {
    const above = this.find(parent);
    if (above?.deleted === true && above.parent === node.parent) this.#passedOver.add(above.id);
  }

  /** Returns true if a message was deleted without the messages below it. */
  isPassedOver({ id, deleted }: NodeState): boolean {
    return deleted === true && this.#passedOver.has(id);
  }

  /** True if a message began a file below a line of another file, which was missing. */
  get hasMissing(): boolean {
    return this.#hasMissing;
  }

  #note(node: NodeState): void {
    if (missingAbove(node) !== undefined) this.#hasMissing = true;
    if (this.#lines !== undefined) this.#enterLines(this.#lines, node);
    if (node.origin?.source === this.#source) this.#enter(node.origin.id, node.id);
    else if (this.#source === loomSource) this.#enter(node.id, node.id);
    const exported = exportedAs(node, this.#source);
    if (exported !== undefined) {
      // Lines that have no message of their own here, such as one that says that the person stopped the agent, are known by the message before them.
      for (const name of [exported.id, ...exported.keys]) this.#enter(name, node.id);
    } else if (node.role === 'tool' && node.turn !== undefined && node.origin === undefined)
      this.#unnamedResults.set(node.tool_call_id ?? '', node.id);
  }

  /** The first one counts: later ones are copies. */
  #enter(name: string, id: string): void {
    if (!this.#nodes.has(name)) this.#nodes.set(name, id);
  }
}
