// A conversation as the feed tells it. This is the smallest client that there can be: it knows no CRDT, and asks for a snapshot
// wherever an event is about more than one node.

/**
 * @typedef {import('@loom/blocks').MessageBlock} Block
 * @typedef {import('@loom/kernel').NodeState} Node
 * @typedef {import('@loom/sync').WireEvent} WireEvent
 * @typedef {import('@loom/sync').ServerFrame} ServerFrame
 * @typedef {import('@loom/sync').ChangeFrame} ChangeFrame
 */

export class Conversation {
  /** @type {Map<string, Node>} */
  nodes = new Map();
  /** The turns that are running. @type {string[]} */
  turns = [];
  /** The branch that is shown, by the node that it ends with or leads to. @type {string | undefined} */
  chosen;
  /** @type {{ epoch: string, seq: number } | undefined} */
  #cursor;
  /** Nodes that are there and have not been sent. @type {string[]} */
  #missing = [];
  #isFetching = false;
  #isClosed = false;
  #attempts = 0;
  /** @type {WebSocket | undefined} */
  #socket;
  #openSocket;
  #changed;
  #tell;

  /**
   * @param {string} root
   * @param {() => Promise<WebSocket>} openSocket
   * @param {() => void} changed
   * @param {(text: string) => void} tell
   */
  constructor(root, openSocket, changed, tell) {
    this.root = root;
    this.#openSocket = openSocket;
    this.#changed = changed;
    this.#tell = tell;
    void this.#connect();
  }

  close() {
    this.#isClosed = true;
    this.#socket?.close();
  }

  /** The end of the branch that is shown: the newest node at or below what was chosen. */
  get leaf() {
    return this.path.at(-1)?.id;
  }

  /** The nodes of the branch that is shown, first to last. @returns {Node[]} */
  get path() {
    /** @type {Node[]} */
    const path = [];
    const newest = [...this.nodes.values()].sort((one, other) => other.time - one.time);
    const isBelow = (/** @type {Node} */ node) => {
      for (let at = /** @type {Node | undefined} */ (node); at !== undefined; at = this.nodes.get(at.parent)) {
        if (at.id === this.chosen) return true;
      }
      return false;
    };
    const last = newest.find(isBelow) ?? newest[0];
    for (let at = last; at !== undefined; at = this.nodes.get(at.parent)) path.unshift(at);
    return path;
  }

  /** The nodes beside a node, itself included. @param {Node} node */
  siblings({ parent }) {
    return [...this.nodes.values()].filter((other) => other.parent === parent);
  }

  async #connect() {
    try {
      const socket = await this.#openSocket();
      this.#socket = socket;
      socket.addEventListener('open', () => this.#join());
      socket.addEventListener('message', (event) => {
        /** @type {unknown} */
        const frames = JSON.parse(String(event.data));
        if (areFrames(frames)) for (const frame of frames) this.#take(frame);
      });
      socket.addEventListener('close', () => this.#again());
      if (this.#isClosed) socket.close();
    } catch {
      this.#again();
    }
  }

  /** A server that comes back is not asked by all its pages at once. */
  #again() {
    if (this.#isClosed) return;
    this.#tell('The connection is lost; trying again.');
    const delay = Math.min(15_000, 250 * 2 ** this.#attempts) * (0.5 + Math.random() / 2);
    this.#attempts += 1;
    setTimeout(() => this.#isClosed || void this.#connect(), delay);
  }

  /** @param {boolean} [isWhole] with a snapshot, whatever is known */
  #join(isWhole = false) {
    // Before everything has come there is nothing to go on from.
    const cursor = isWhole || this.#missing.length > 0 ? undefined : this.#cursor;
    this.#missing = [];
    this.#isFetching = false;
    const frame = { type: 'join', id: crypto.randomUUID(), protocol: 1, root: this.root, scope: 'whole' };
    this.#socket?.send(JSON.stringify(cursor === undefined ? frame : { ...frame, cursor }));
  }

  /** Asks for nodes that have not been sent, a page at a time. */
  #fetch() {
    if (this.#isFetching || this.#missing.length === 0) return;
    this.#isFetching = true;
    const nodes = this.#missing.slice(0, 200);
    this.#socket?.send(JSON.stringify({ type: 'fetch', id: crypto.randomUUID(), nodes }));
  }

  /** @param {ServerFrame} frame */
  #take(frame) {
    switch (frame.type) {
      case 'welcome':
        this.#attempts = 0;
        this.#tell('');
        if (frame.snapshot !== undefined) {
          this.nodes = new Map(frame.snapshot.nodes.map((node) => [node.id, node]));
          this.#missing = [];
          this.turns = frame.snapshot.root.turns.map(({ turn }) => turn);
          this.#cursor = frame.cursor;
        }
        break;
      case 'outline':
        this.#missing.push(...frame.nodes.map(({ id }) => id));
        this.#fetch();
        break;
      case 'nodes':
        for (const node of frame.nodes) this.nodes.set(node.id, node);
        this.#missing = this.#missing.filter((id) => !this.nodes.has(id) && !frame.gone.includes(id));
        this.#isFetching = false;
        this.#fetch();
        break;
      case 'change':
        this.#apply(frame);
        break;
      case 'resync':
        this.#join();
        break;
      case 'refused':
        this.#tell('This conversation cannot be opened.');
        this.close();
        break;
      default:
        break;
    }
    this.#changed();
  }

  /** @param {ChangeFrame} change */
  #apply({ epoch, seq, events }) {
    const before = this.#cursor;
    if (before === undefined || before.epoch !== epoch || seq !== before.seq + 1) return;
    this.#cursor = { epoch, seq };
    for (const event of events) this.#applyEvent(event);
  }

  /** @param {WireEvent} event */
  #applyEvent(event) {
    switch (event.type) {
      case 'node-added':
        this.nodes.set(event.node.id, event.node);
        break;
      case 'node-changed':
        this.#changeNode(event);
        break;
      case 'block-added':
        this.#rewrite(event.node, (blocks) => blocks.toSpliced(event.index, 0, event.block));
        break;
      case 'block-changed':
        this.#change(event.block.block_id ?? '', () => event.block);
        break;
      case 'block-removed':
        this.#rewrite(event.node, (blocks) => blocks.filter(({ block_id: id }) => id !== event.block));
        break;
      case 'text-appended':
        this.#change(event.block, (block) => withText(block, event.field, (text) => `${text}${event.text}`));
        break;
      case 'text-changed':
        this.#change(event.block, (block) =>
          withText(block, block.type === 'code' ? 'content' : 'text', (text) => spliced(text, event.changes)),
        );
        break;
      case 'status-changed':
        this.#change(event.block, ({ error: _before, ...block }) => {
          const changed = /** @type {Block} */ ({ ...block, status: event.status });
          return event.error === undefined ? changed : { ...changed, error: event.error };
        });
        break;
      case 'turn-started':
        this.turns = [...this.turns, event.turn];
        break;
      case 'turn-ended':
        this.turns = this.turns.filter((turn) => turn !== event.turn);
        break;
      case 'node-removed':
      case 'node-restored':
      case 'node-moved':
        this.#join(true);
        break;
      default:
        break;
    }
  }

  /** @param {Extract<WireEvent, { type: 'node-changed' }>} event */
  #changeNode({ node: id, set, blocks }) {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    const changed = { ...node };
    for (const [name, value] of Object.entries(set)) {
      if (value === null) Reflect.deleteProperty(changed, name);
      else Reflect.set(changed, name, value);
    }
    this.nodes.set(id, changed);
    if (blocks === undefined) return;
    const known = new Map(node.blocks.map((block) => [block.block_id, block]));
    this.#rewrite(id, () => blocks.flatMap((block) => (typeof block === 'string' ? (known.get(block) ?? []) : block)));
  }

  /**
   * @param {string} id
   * @param {(block: Block) => Block} change
   */
  #change(id, change) {
    for (const node of this.nodes.values()) {
      if (!node.blocks.some(({ block_id: other }) => other === id)) continue;
      this.#rewrite(node.id, (blocks) => blocks.map((block) => (block.block_id === id ? change(block) : block)));
    }
  }

  /**
   * @param {string} id
   * @param {(blocks: readonly Block[]) => Block[]} rewrite
   */
  #rewrite(id, rewrite) {
    const node = this.nodes.get(id);
    if (node !== undefined) this.nodes.set(id, { ...node, blocks: rewrite(node.blocks) });
  }
}

/**
 * @param {Block} block
 * @param {string} field
 * @param {(text: string) => string} change
 */
function withText(block, field, change) {
  const before = Object.entries(block).find(([name]) => name === field)?.[1];
  return { ...block, [field]: change(typeof before === 'string' ? before : '') };
}

/**
 * All offsets are those of the text before.
 *
 * @param {string} text
 * @param {readonly { at: number, delete: number, insert: string }[]} changes
 */
function spliced(text, changes) {
  return changes
    .toSorted((one, other) => other.at - one.at)
    .reduce((so, { at, delete: count, insert }) => `${so.slice(0, at)}${insert}${so.slice(at + count)}`, text);
}

/**
 * The server sends what its protocol says.
 *
 * @param {unknown} value
 * @returns {value is ServerFrame[]}
 */
function areFrames(value) {
  return Array.isArray(value);
}
