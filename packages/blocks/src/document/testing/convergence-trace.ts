import * as Y from 'yjs';
import type { TextSplice } from '../../text/text-splice.ts';
import { fromBase64, toBase64 } from '../../text/base64.ts';
import { BlockDocument } from '../block-document.ts';
import { textName } from '../yjs-document.ts';
import { LoggedText, differ } from './logged-text.ts';
import type { LogEntry } from './logged-text.ts';
import { SeededRandom } from './seeded-random.ts';

/** Changes the updates of a log on their way to the replicas: for faults that the trace must find. */
export type Corrupt = (updates: Uint8Array[]) => Uint8Array[];

/**
 * Agents and clients work on one text in every possible way; then its logged updates reach several replicas in any order,
 * any number of times, while these are cut off from each other, exchange their updates, and restart. Returns the first
 * difference, in the text or in the bytes.
 */
export function runConvergenceTrace(seed: number, corrupt: Corrupt = (updates) => updates): string | undefined {
  const random = new SeededRandom(seed);
  const text = new LoggedText(randomText(random, random.below(12)), []);
  const clients = [new Client(11, text), new Client(11_000, text)];
  try {
    for (let steps = 4 + random.below(22); steps > 0; steps -= 1) takeStep(random, text, clients);
    for (const client of [...clients, ...clients]) client.sync(text);
    const wrong = text.restart(agents);
    if (wrong !== undefined) return wrong;
    return compareReplicas(random, text, clients, corrupt(updatesOf(text.log)));
  } catch (error) {
    return String(error instanceof Error ? error.stack : error);
  }
}

const agents = ['ada', 'bob'] as const;

function takeStep(random: SeededRandom, text: LoggedText, clients: readonly Client[]): void {
  const kind = random.below(100);
  const author = { agent: random.pick(agents), unit: `unit-${random.below(8)}` };
  if (kind < 30) text.edit(author, randomSplices(random, text.document.text));
  else if (kind < 42) text.append(author, randomText(random, 1 + random.below(3)), random.chance(50));
  else if (kind < 62) {
    const { document } = text;
    const unit = random.chance(60) ? document.undoable(author.agent) : document.redoable(author.agent);
    if (unit !== undefined) text.flip(unit.ordinal);
  } else if (kind < 85) random.pick(clients).edit(random);
  else if (kind < 97) random.pick(clients).sync(text);
  else text.restart([]);
}

/** A client with a separate document, which sends its edits at some later time. */
class Client {
  readonly id: number;
  readonly doc = new Y.Doc({ gc: false });
  readonly #agent: string;
  #queue: Uint8Array[] = [];
  #seen = 0;

  constructor(id: number, { document }: LoggedText) {
    this.id = id;
    this.#agent = id === 11 ? 'cy' : agents[0];
    Y.applyUpdate(this.doc, document.encode());
    this.doc.clientID = id;
  }

  edit(random: SeededRandom): void {
    const note = (update: Uint8Array): void => {
      this.#queue.push(update);
    };
    this.doc.on('update', note);
    const text = this.doc.getText(textName);
    this.doc.transact(() => {
      for (const { at, delete: count, insert } of randomSplices(random, text.toJSON()).toReversed()) {
        if (count > 0) text.delete(at, count);
        if (insert !== '') text.insert(at, insert);
      }
    });
    this.doc.off('update', note);
  }

  sync(text: LoggedText): void {
    for (const update of this.#queue) {
      const taken = text.take({ agent: this.#agent, unit: `typing-${this.id}` }, this.id, update);
      if (!taken.ok) throw new Error(taken.problem);
    }
    this.#queue = [];
    for (const update of updatesOf(text.log.slice(this.#seen))) Y.applyUpdate(this.doc, update);
    this.#seen = text.log.length;
    this.doc.clientID = this.id;
  }
}

function updatesOf(log: readonly LogEntry[]): Uint8Array[] {
  return log.flatMap((entry) => {
    const update = entry.type === 'edit' ? entry.edit.update : entry.type === 'flip' ? entry.flip.update : undefined;
    return update === undefined ? [] : [fromBase64(update)];
  });
}

function compareReplicas(
  random: SeededRandom,
  { document, spliced, seed }: LoggedText,
  clients: readonly Client[],
  updates: readonly Uint8Array[],
): string | undefined {
  if (document.text !== spliced) return differ('the text', document.text, spliced);
  const beginning = new BlockDocument(seed).encode();
  const replicas = Array.from({ length: 3 }, () => newReplica(beginning));
  deliver(random, replicas, updates);
  const bytes = toBase64(document.encode());
  for (const [place, doc] of [...clients.map((client) => client.doc), ...replicas].entries()) {
    const name = place < clients.length ? `client ${place}` : `replica ${place - clients.length}`;
    const text = doc.getText(textName).toJSON();
    if (text !== spliced) return differ(`the text of ${name}`, text, spliced);
    if (toBase64(Y.encodeStateAsUpdate(doc)) !== bytes) return `${name} has the same text in other bytes`;
  }
  // A replica that only reads may throw away deleted text.
  const reader = newReplica(beginning, true);
  for (const update of updates) Y.applyUpdate(reader, update);
  const read = reader.getText(textName).toJSON();
  return read === spliced ? undefined : differ('the text of a reader', read, spliced);
}

function newReplica(bytes: Uint8Array, gc = false): Y.Doc {
  const doc = new Y.Doc({ gc, guid: textName });
  Y.applyUpdate(doc, bytes);
  return doc;
}

/** Every replica gets every update at least once, if only from another one. */
function deliver(random: SeededRandom, replicas: Y.Doc[], updates: readonly Uint8Array[]): void {
  for (const place of replicas.keys()) {
    // The first one gets everything in the wrong order; the others get a part each, before they meet.
    const isMissed = updates.map(() => place > 0 && random.chance(40));
    const heard = updates.filter((_, index) => isMissed[index] !== true);
    const again = heard.filter(() => random.chance(25));
    const missed = updates.filter((_, index) => isMissed[index] === true);
    for (const update of random.shuffle([...heard, ...again])) receive(random, replicas, place, update);
    const other = random.pick(replicas);
    Y.applyUpdate(other, Y.encodeStateAsUpdate(random.pick(replicas), Y.encodeStateVector(other)));
    for (const update of random.shuffle([...missed, ...again])) receive(random, replicas, place, update);
  }
  for (const [place, replica] of replicas.entries()) {
    // Yjs puts aside updates that come too early. It may then have everything and not see it, when two such parts wait for
    // each other, about once in 20,000 traces; from its own bytes it does.
    if (replica.store.pendingStructs !== null) replicas[place] = newReplica(Y.encodeStateAsUpdate(replica));
  }
}

function receive(random: SeededRandom, replicas: Y.Doc[], place: number, update: Uint8Array): void {
  const [replica] = replicas.slice(place);
  if (replica === undefined) return;
  Y.applyUpdate(replica, update);
  if (random.chance(4)) replicas[place] = newReplica(Y.encodeStateAsUpdate(replica));
}

/** Pieces that are easily torn: line ends, surrogate pairs, joined or combined characters. */
const pieces = [
  'a',
  'b',
  'c ',
  '\n',
  '\r\n',
  '\r',
  'é',
  'e\u0301',
  '😀',
  '👍🏽',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  '\u200D',
  '한',
  '\uFEFF',
  'نص',
] as const;

function randomText(random: SeededRandom, count: number): string {
  return Array.from({ length: count }, () => random.pick(pieces)).join('');
}

function randomSplices(random: SeededRandom, text: string): TextSplice[] {
  const places = [0];
  for (const character of text) places.push((places.at(-1) ?? 0) + character.length);
  const splices: TextSplice[] = [];
  for (let place = random.below(places.length); place < places.length; place += 1 + random.below(5)) {
    const end = random.chance(50) ? Math.min(places.length - 1, place + random.below(5)) : place;
    const [at = 0, stop = 0] = [places[place], places[end]];
    splices.push({ at, delete: stop - at, insert: random.chance(65) ? randomText(random, 1 + random.below(3)) : '' });
    place = end;
    if (random.chance(65)) break;
  }
  return splices;
}
