import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { bytesOf } from './message-bytes.ts';
import { joinFrame } from '../testing/socket-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

const [stuckCount, besideCount, elsewhereCount] = [10, 3, 187];

/** So many times 200 KB are more than the machine and the server together keep for a subscriber. */
const rounds = 75;

/** A subscriber that looks for marks in what it is sent. */
class Subscriber {
  readonly socket: WebSocket;
  readonly #onMark: () => void;
  isResynced = false;
  marks = 0;
  #isStuck = false;
  #wake = (): void => {};

  constructor(socket: WebSocket, onMark: () => void) {
    this.socket = socket;
    this.#onMark = onMark;
  }

  static async join(served: Served, root: string, onMark: () => void): Promise<Subscriber> {
    const subscriber = new Subscriber(await served.requests.connect(), onMark);
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
      if (!this.#isStuck) this.#onMark();
    }
    this.#wake();
  }

  /** Reads nothing any more, until it is resumed; then it counts anew. */
  stick(): void {
    this.#isStuck = true;
    this.marks = 0;
    this.socket.pause();
  }

  /** Everything has come, or it was told that it has missed something. */
  async settled(): Promise<void> {
    while (!this.isResynced && this.marks < rounds) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

interface Measured {
  /** How long changes took to those that read, in milliseconds: while all read, and while 10 do not. */
  before: Latency;
  while: Latency;
  /** How many of those that did not read were told to join again, and missed changes. */
  resynced: number;
}

interface Latency {
  /** The 99th percentile of processor time of the process that all share: what it takes on a machine with nothing else to do. */
  processor: number;
  /** The 75th percentile by the clock: the rest says how busy the machine is with something else. A server that sleeps shows here. */
  wall: number;
}

/** 200 subscribers of two conversations, while one grows by 200 KB a time and the other by a few words; 10 stop reading. */
async function measure(t: TestContext): Promise<Measured> {
  const served = await serveLoom(t);
  const [large, small] = await Promise.all([writer(served), writer(served)]);
  const [beside, elsewhere] = [new Stopwatch(), new Stopwatch()];
  const many = (count: number, root: string, stopwatch: Stopwatch): Promise<Subscriber[]> =>
    Promise.all(Array.from({ length: count }, () => Subscriber.join(served, root, () => stopwatch.heard())));
  const stuck = await many(stuckCount, large.root, beside);
  const reading = [
    ...(await many(besideCount, large.root, beside)),
    ...(await many(elsewhereCount, small.root, elsewhere)),
  ];
  const piece = 'x'.repeat(200_000);
  const say = async (count: number, listeners: number): Promise<Latency> => {
    for (let round = 0; round < count; round += 1) {
      await beside.time(listeners, () => large.append(`${piece}mark-.`));
      await elsewhere.time(elsewhereCount, () => small.append('mark-.'));
    }
    const [one, other] = [beside.percentiles(), elsewhere.percentiles()];
    return { processor: Math.max(one.processor, other.processor), wall: Math.max(one.wall, other.wall) };
  };
  const before = await say(5, stuckCount + besideCount);
  for (const subscriber of stuck) subscriber.stick();
  const during = await say(rounds, besideCount);
  for (const { socket } of stuck) socket.resume();
  await Promise.all(stuck.map((subscriber) => subscriber.settled()));
  for (const { socket } of [...stuck, ...reading]) socket.terminate();
  const resynced = stuck.filter(({ isResynced, marks }) => isResynced && marks < rounds).length;
  return { before, while: during, resynced };
}

/** Measures how long it takes until as many subscribers as there are have heard of a change. */
class Stopwatch {
  #times: Latency[] = [];
  #begun: Latency = { processor: 0, wall: 0 };
  #missing = 0;
  #wake = (): void => {};

  async time(listeners: number, change: () => Promise<void>): Promise<void> {
    this.#missing = listeners;
    const all = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#begun = now();
    await change();
    await all;
  }

  heard(): void {
    const { processor, wall } = now();
    this.#times.push({ processor: processor - this.#begun.processor, wall: wall - this.#begun.wall });
    this.#missing -= 1;
    if (this.#missing === 0) this.#wake();
  }

  percentiles(): Latency {
    const times = this.#times;
    this.#times = [];
    const of = (part: number, values: number[]): number =>
      values.sort((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;
    return {
      processor: of(
        0.99,
        times.map(({ processor }) => processor),
      ),
      wall: of(
        0.75,
        times.map(({ wall }) => wall),
      ),
    };
  }
}

function now(): Latency {
  const { user, system } = process.cpuUsage();
  return { processor: (user + system) / 1000, wall: performance.now() };
}

/** Whether slow readers hurt only themselves. A machine that is busy with something else is slow for all, before and after. */
function isUnhurt({ before, while: during }: Measured): boolean {
  return during.processor <= 100 && (during.wall <= 100 || during.wall <= 4 * before.wall);
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

test('[SV78] of 200 subscribers 10 do not read: they are told to join again, and the others hear of changes within 100 ms', async (t) => {
  const measured = await measure(t);
  const words = ({ processor, wall }: Latency): string =>
    `p99 ${processor.toFixed(1)} ms of processor time, p75 ${wall.toFixed(1)} ms by the clock`;
  t.diagnostic(`the others: ${words(measured.while)}; while all read: ${words(measured.before)}`);
  assert.equal(measured.resynced, stuckCount);
  assert.ok(isUnhurt(measured), JSON.stringify(measured));
});

/** Something else in the place of a property of every WebSocket, until the test ends. */
function plant(t: TestContext, name: 'bufferedAmount' | 'send', property: PropertyDescriptor): void {
  const original = Object.getOwnPropertyDescriptor(WebSocket.prototype, name) ?? assert.fail();
  Object.defineProperty(WebSocket.prototype, name, { ...property, configurable: true });
  t.after(() => Object.defineProperty(WebSocket.prototype, name, original));
}

test('[SV78] a server that does not see who reads, and waits for those who do not, is caught', async (t) => {
  const send: unknown = Reflect.get(WebSocket.prototype, 'send');
  assert.ok(isMethod(send));
  // A few are enough to be seen.
  let left = 60;
  plant(t, 'bufferedAmount', { get: () => 0 });
  plant(t, 'send', {
    value: function (this: WebSocket, ...values: unknown[]) {
      const isSlow = left > 0 && hasBacklog(this);
      left -= Number(isSlow);
      const until = now().processor + (isSlow ? 15 : 0);
      while (now().processor < until);
      return Reflect.apply(send, this, values);
    },
  });
  const measured = await measure(t);
  assert.equal(measured.resynced, 0);
  assert.equal(isUnhurt(measured), false);
});

function isMethod(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === 'function';
}

/** Whether a socket has more to send than its client has taken. */
function hasBacklog(socket: WebSocket): boolean {
  const transport: unknown = Reflect.get(socket, '_socket');
  const length: unknown =
    typeof transport === 'object' && transport !== null && Reflect.get(transport, 'writableLength');
  return typeof length === 'number' && length > 256 * 1024;
}
