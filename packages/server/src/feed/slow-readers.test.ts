import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import { WebSocket } from 'ws';
import { bytesOf } from './message-bytes.ts';
import { joinFrame } from '../testing/socket-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

/** More in the deep run. */
const subscribers = Number(process.env['LOOM_SUBSCRIBERS'] ?? 200);
const [stuckCount, besideCount] = [10, 3];
const elsewhereCount = subscribers - stuckCount - besideCount;

/** The number of rounds of 200 KB: more than the machine and the server together keep for a subscriber. */
const rounds = 75;

/** A subscriber that looks for marks in its messages. */
class Subscriber {
  readonly socket: WebSocket;
  readonly #onMark: () => void;
  isResynced = false;
  marks = 0;
  isStuck = false;
  #wake = (): void => {};

  constructor(socket: WebSocket, onMark: () => void) {
    this.socket = socket;
    this.#onMark = onMark;
  }

  static async join(requests: Served['requests'], root: string, onMark: () => void): Promise<Subscriber> {
    const subscriber = new Subscriber(await requests.connect(), onMark);
    const { promise, resolve } = Promise.withResolvers<void>();
    subscriber.socket.once('message', resolve);
    subscriber.socket.send(joinFrame(root));
    await promise;
    subscriber.socket.on('message', (data) => subscriber.#hear(Buffer.from(bytesOf(data))));
    return subscriber;
  }

  #hear(bytes: Buffer): void {
    if (bytes.includes('"type":"resync"')) this.isResynced = true;
    for (let at = bytes.indexOf('mark-'); at !== -1; at = bytes.indexOf('mark-', at + 1)) {
      this.marks += 1;
      if (!this.isStuck) this.#onMark();
    }
    this.#wake();
  }

  /** Stops reading until it is resumed; then it counts anew. */
  stick(): void {
    this.isStuck = true;
    this.marks = 0;
    this.socket.pause();
  }

  /** Resolves once everything has come, or the server has asked for a resync. */
  async settled(): Promise<void> {
    while (!this.isResynced && this.marks < rounds) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

/** The course of a conversation beside which some subscribers did not read. Nothing in it depends on how fast the machine is. */
interface Course {
  /** The most bytes that a socket of the server held for its client, while 10 did not read. */
  mostHeld: number;
  /** Messages that the server sent to all while 10 did not read. */
  sent: number;
  /** The most round trips of another request that went by until all readers had heard of a change; unbounded if they never did. */
  trips: number;
  /** The subscribers that did not read, had to join again, and missed changes. */
  resynced: number;
  /** The readers that had to join again, or missed a change. */
  hurt: number;
}

/** 200 subscribers of two conversations, while one grows by 200 KB a time and the other by a few words; 10 stop reading. */
async function follow(t: TestContext): Promise<Course> {
  const served = await serveLoom(t);
  const [large, small] = await Promise.all([writer(served), writer(served)]);
  /** Listeners that have yet to hear of a change, and the most round trips that one took. */
  const wait = { missing: 0, trips: 0 };
  const heard = (): void => void (wait.missing -= 1);
  // A token may open only so many streams.
  const tokens = Array.from({ length: Math.ceil(subscribers / 100) }, (_, at) =>
    served.as({ agent: `reader-${at}`, type: 'person', role: 'reader' }),
  );
  const readers = await Promise.all(tokens);
  const many = (count: number, root: string): Promise<Subscriber[]> =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        Subscriber.join(readers[at % readers.length] ?? served.requests, root, heard),
      ),
    );
  const stuck = await many(stuckCount, large.root);
  const reading = [...(await many(besideCount, large.root)), ...(await many(elsewhereCount, small.root))];
  const traffic = watchTraffic(t);
  /** Goes on when all listeners have heard of a change, or will never. */
  const tell = async (listeners: number, change: () => Promise<void>): Promise<void> => {
    wait.missing = listeners;
    await change();
    let taken = 0;
    while (wait.missing > 0 && taken < patience) {
      await served.requests.fetch('/api/v1/health').then((answer) => answer.arrayBuffer());
      taken += 1;
    }
    wait.trips = Math.max(wait.trips, wait.missing > 0 ? Infinity : taken);
  };
  const piece = 'x'.repeat(200_000);
  const say = async (count: number, listeners: number): Promise<void> => {
    for (let round = 0; round < count && wait.trips < Infinity; round += 1) {
      await tell(listeners, () => large.append(`${piece}mark-.`));
      await tell(elsewhereCount, () => small.append('mark-.'));
    }
  };
  await say(5, stuckCount + besideCount);
  for (const subscriber of stuck) subscriber.stick();
  const before = traffic.sent;
  await say(rounds, besideCount);
  const sent = traffic.sent - before;
  if (wait.trips < Infinity) {
    for (const { socket } of stuck) socket.resume();
    await Promise.all(stuck.map((subscriber) => subscriber.settled()));
  }
  for (const { socket } of [...stuck, ...reading]) socket.terminate();
  return {
    mostHeld: traffic.mostHeld,
    sent,
    trips: wait.trips,
    resynced: stuck.filter(({ isResynced, marks }) => isResynced && marks < rounds).length,
    hurt: reading.filter(({ isResynced, marks }) => isResynced || marks !== 5 + rounds).length,
  };
}

/** The number of round trips of another request: far more than a change needs, which takes one or two. */
const patience = 300;

/** Watches the server's writes to its sockets, and how much of them they hold. */
function watchTraffic(t: TestContext): { sent: number; mostHeld: number } {
  const traffic = { sent: 0, mostHeld: 0 };
  plantSend(t, (socket, pass) => {
    pass();
    traffic.sent += 1;
    traffic.mostHeld = Math.max(traffic.mostHeld, heldBy(socket));
  });
  return traffic;
}

/** Puts something between the server and its sockets, until the test ends. */
function plantSend(t: TestContext, around: (socket: WebSocket, pass: () => void) => void): void {
  const send: unknown = Reflect.get(WebSocket.prototype, 'send');
  assert.ok(isMethod(send));
  plant(t, 'send', {
    value: function (this: WebSocket, ...values: unknown[]) {
      const pass = (): void => void Reflect.apply(send, this, values);
      if (Reflect.get(this, '_isServer') === true) around(this, pass);
      else pass();
    },
  });
}

async function writer({
  requests,
  engine,
}: Served): Promise<{ root: string; append: (text: string) => Promise<void> }> {
  const { root } = await requests.call('root.create', {});
  const { block_id } = await requests.call('block.create', { parent_id: root, role: 'assistant', kind: 'text' });
  let last = 0;
  const append = async (text: string): Promise<void> => {
    const answer = await engine.blocks.append({ agent: 'person', id: `${root}-${(last += 1)}` }, { block_id, text });
    assert.ok('version' in answer);
  };
  return { root, append };
}

test('[SV78] of 200 subscribers 10 do not read: they are told to join again, and the others hear of everything as before', async (t) => {
  const course = await follow(t);
  tellTried(t, subscribers, `subscribers: ${JSON.stringify(course)}`);
  assert.equal(course.resynced, stuckCount);
  assert.equal(course.hurt, 0);
  assert.ok(course.trips < Infinity);
  // The bytes allowed in flight to a client, and the message that exceeded them.
  assert.ok(course.mostHeld <= 512 * 1024, `${course.mostHeld} bytes were held for one client`);
  // One message to each reader for each change, and a few to each that does not read, until its socket is full.
  const toReaders = rounds * (besideCount + elsewhereCount);
  assert.ok(course.sent >= toReaders && course.sent < toReaders + (stuckCount * rounds) / 2, `${course.sent} sent`);
});

/** Replaces a property of every WebSocket until the test ends. */
function plant(t: TestContext, name: 'bufferedAmount' | 'send', property: PropertyDescriptor): void {
  Object.defineProperty(WebSocket.prototype, name, { ...property, configurable: true });
  t.after(() => Object.defineProperty(WebSocket.prototype, name, originals[name]));
}

const originals = {
  bufferedAmount: Object.getOwnPropertyDescriptor(WebSocket.prototype, 'bufferedAmount') ?? assert.fail(),
  send: Object.getOwnPropertyDescriptor(WebSocket.prototype, 'send') ?? assert.fail(),
};

test('[SV78] a planted fault, a server that does not see who reads, is caught by what it holds', async (t) => {
  plant(t, 'bufferedAmount', { get: () => 0 });
  const { mostHeld, resynced } = await follow(t);
  assert.equal(resynced, 0);
  assert.ok(mostHeld > 4 * 1024 * 1024, `${mostHeld} bytes were held for one client`);
});

test('[SV78] a planted fault, a server that waits for those who do not read, is caught by those who hear nothing', async (t) => {
  const full = new Set<WebSocket>();
  plantSend(t, (socket, pass) => {
    if (full.size > 0) return;
    pass();
    if (heldBy(socket) > 256 * 1024) full.add(socket);
  });
  const { trips } = await follow(t);
  assert.equal(trips, Infinity);
});

function isMethod(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === 'function';
}

/** The bytes that a socket has to send and its client has not taken. */
function heldBy(socket: WebSocket): number {
  const transport: unknown = Reflect.get(socket, '_socket');
  const length: unknown =
    typeof transport === 'object' && transport !== null && Reflect.get(transport, 'writableLength');
  return typeof length === 'number' ? length : 0;
}
