// The list of conversations, kept up to date by the feed.

/** @typedef {{ id: string, title?: string, opening: string, updated: string, deleted: boolean, running: string[], needs: string[] }} Listed */
/** @typedef {{ type: string, items?: Listed[], next?: string }} ListFrame */

export class ConversationList {
  /** @type {Map<string, Listed>} */
  #known = new Map();
  /** @type {string | undefined} */
  next;
  #openSocket;
  #changed;

  /**
   * @param {() => Promise<WebSocket>} openSocket
   * @param {() => void} changed
   */
  constructor(openSocket, changed) {
    this.#openSocket = openSocket;
    this.#changed = changed;
    void this.#connect();
  }

  /** The one that was changed last first. */
  get items() {
    return [...this.#known.values()].sort((one, other) => (one.updated > other.updated ? -1 : 1));
  }

  /**
   * Adds a page.
   *
   * @param {{ items: Listed[], next?: string }} page
   */
  add({ items, next }) {
    for (const item of items) if (!this.#known.has(item.id)) this.#known.set(item.id, item);
    this.next = next;
    this.#changed();
  }

  async #connect() {
    try {
      const socket = await this.#openSocket();
      const limit = Math.max(50, this.#known.size);
      socket.addEventListener('open', () =>
        socket.send(JSON.stringify({ type: 'join-list', id: crypto.randomUUID(), protocol: 1, limit })),
      );
      socket.addEventListener('message', ({ data }) => {
        /** @type {unknown} */
        const frames = JSON.parse(String(data));
        if (!isFrames(frames)) return;
        if (frames.some(({ type }) => type === 'resync')) return socket.close();
        for (const frame of frames) this.#hear(frame);
        this.#changed();
      });
      socket.addEventListener('close', () => this.#later());
    } catch {
      this.#later();
    }
  }

  #later() {
    setTimeout(() => void this.#connect(), 1000 + Math.random() * 2000);
  }

  /** @param {ListFrame} frame */
  #hear({ type, items = [], next }) {
    if (type === 'list') {
      this.#known.clear();
      this.next = next;
    }
    for (const item of items) {
      if (item.deleted) this.#known.delete(item.id);
      else this.#known.set(item.id, item);
    }
  }
}

/**
 * The server speaks the protocol that was asked for.
 *
 * @param {unknown} value
 * @returns {value is ListFrame[]}
 */
function isFrames(value) {
  return Array.isArray(value);
}
