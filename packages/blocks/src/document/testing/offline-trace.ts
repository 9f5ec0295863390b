import * as Y from 'yjs';
import { fromBase64 } from '../../text/base64.ts';
import { textName } from '../yjs-document.ts';
import { LoggedText, differ } from './logged-text.ts';
import type { CreateText } from './logged-text.ts';
import { SeededRandom } from './seeded-random.ts';
import { UndoReference } from './undo-reference.ts';
import { agents, compareUnits } from './undo-trace.ts';

/**
 * Runs a client that edits its own document while the others go on, and sends everything later. The document decides where
 * text lands that was written at one place at once; but every character, of which there is only one of each, is seen or not
 * as the reference says, and two that were seen together stay in their order.
 */
export function runOfflineTrace(seed: number, create?: CreateText, steps = 50): string | undefined {
  const random = new SeededRandom(seed);
  const characters = new FreshCharacters();
  const start = characters.next(10 + random.below(10));
  const text = new LoggedText(start, [], create);
  const reference = new UndoReference(start);
  const client = new OfflineClient(random.chance(50) ? 7 : 7000, text);
  const order = new SeenOrder();
  for (let step = 0; step < steps; step += 1) {
    try {
      const did = takeStep(random, characters, text, reference, client);
      const wrong =
        compareSets(text, reference) ??
        compareUnits(text, reference) ??
        order.check(text.document.text) ??
        (did === 'sync' ? compareClient(client, text) : undefined) ??
        (random.chance(3) ? text.restart(agents) : undefined);
      if (wrong !== undefined) return `step ${step}: after ${did}, ${wrong}`;
    } catch (error) {
      return `step ${step}: ${String(error instanceof Error ? error.stack : error)}`;
    }
  }
  return text.restart(agents);
}

function takeStep(
  random: SeededRandom,
  characters: FreshCharacters,
  text: LoggedText,
  reference: UndoReference,
  client: OfflineClient,
): string {
  const agent = random.pick(agents);
  const kind = random.below(100);
  if (kind < 25) {
    client.edit(random, characters);
    return 'an edit offline';
  }
  if (kind < 33) {
    for (const { unit, update, inserted, deleted } of client.takeQueue()) {
      const taken = text.take({ agent: client.agent, unit }, client.id, update);
      if (!taken.ok) throw new Error(taken.problem);
      reference.note(client.agent, unit, inserted, deleted);
    }
    client.catchUp(text);
    return 'sync';
  }
  if (kind < 65) {
    const which = random.chance(60) ? 'undo' : 'redo';
    const { document } = text;
    const unit = which === 'undo' ? document.undoable(agent) : document.redoable(agent);
    if (unit !== undefined) text.flip(unit.ordinal);
    reference[which](agent);
    return `${which} of ${agent}`;
  }
  const unit = `edit-${random.below(30)}`;
  const now = text.document.text;
  const at = random.below(now.length + 1);
  const count = random.chance(60) ? random.below(Math.min(6, now.length - at + 1)) : 0;
  const insert = random.chance(60) ? characters.next(1 + random.below(4)) : '';
  if (random.chance(20) && insert !== '') {
    text.append({ agent, unit }, insert, random.chance(50));
    reference.note(agent, unit, insert, '');
    return `append ${insert} by ${agent}`;
  }
  text.edit({ agent, unit }, [{ at, delete: count, insert }]);
  reference.note(agent, unit, insert, now.slice(at, at + count));
  return `edit of ${agent} at ${at}, ${count} deleted, ${insert} inserted`;
}

interface QueuedEdit {
  readonly unit: string;
  readonly update: Uint8Array;
  readonly inserted: string;
  readonly deleted: string;
}

/** A document that knows nothing of Loom. */
class OfflineClient {
  readonly agent = agents[2];
  readonly id: number;
  readonly #doc = new Y.Doc({ gc: false });
  #queue: QueuedEdit[] = [];
  #seen = 0;
  #burst = 0;

  constructor(id: number, { document }: LoggedText) {
    this.id = id;
    this.#doc.clientID = id;
    Y.applyUpdate(this.#doc, document.encode());
  }

  get text(): string {
    return this.#doc.getText(textName).toJSON();
  }

  edit(random: SeededRandom, characters: FreshCharacters): void {
    const before = this.text;
    const at = random.below(before.length + 1);
    const count = random.chance(50) ? random.below(Math.min(6, before.length - at + 1)) : 0;
    const inserted = random.chance(70) ? characters.next(1 + random.below(4)) : '';
    if (random.chance(40)) this.#burst += 1;
    const unit = `typing-${this.#burst}`;
    // The two halves of one edit may well be two updates.
    const work = [
      () => this.#write({ unit, inserted: '', deleted: before.slice(at, at + count) }, at, count),
      () => this.#write({ unit, inserted, deleted: '' }, at, 0),
    ];
    for (const part of work) part();
  }

  takeQueue(): QueuedEdit[] {
    const queue = this.#queue;
    this.#queue = [];
    return queue;
  }

  catchUp({ log }: LoggedText): void {
    for (const entry of log.slice(this.#seen)) {
      const update = entry.type === 'edit' ? entry.edit.update : entry.type === 'flip' ? entry.flip.update : undefined;
      if (update !== undefined) Y.applyUpdate(this.#doc, fromBase64(update));
    }
    this.#seen = log.length;
    // Yjs takes another id when it receives an update made under the id it uses.
    this.#doc.clientID = this.id;
  }

  #write(edit: Omit<QueuedEdit, 'update'>, at: number, count: number): void {
    if (edit.inserted === '' && count === 0) return;
    const note = (update: Uint8Array): void => {
      this.#queue.push({ ...edit, update });
    };
    this.#doc.on('update', note);
    this.#doc.transact(() => {
      const text = this.#doc.getText(textName);
      if (count > 0) text.delete(at, count);
      if (edit.inserted !== '') text.insert(at, edit.inserted);
    });
    this.#doc.off('update', note);
  }
}

/** Characters that were never used before. */
class FreshCharacters {
  #used = 0;

  next(count: number): string {
    this.#used += count;
    if (this.#used > mostCharacters) throw new RangeError('there are no more characters');
    return Array.from({ length: count }, (_, offset) =>
      String.fromCharCode(firstCharacter + this.#used - count + offset),
    ).join('');
  }
}

const firstCharacter = 0x4e00;
const mostCharacters = 400;

/** The order in which characters were seen. */
class SeenOrder {
  readonly #before = new Uint8Array(mostCharacters * mostCharacters);

  check(text: string): string | undefined {
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at) - firstCharacter);
    for (const [at, left] of codes.entries()) {
      for (let other = at + 1; other < codes.length; other += 1) {
        const right = codes[other] ?? 0;
        if (this.#before[right * mostCharacters + left] === 1) {
          return `${text[at]} and ${text[other]} have changed their order`;
        }
        this.#before[left * mostCharacters + right] = 1;
      }
    }
    return undefined;
  }
}

function compareSets({ document, spliced }: LoggedText, reference: UndoReference): string | undefined {
  if (spliced !== document.text) return differ('the text that the splices give', spliced, document.text);
  const [is, shouldBe] = [document.text, reference.text].map((text) => text.split('').sort().join(''));
  return is === shouldBe ? undefined : differ('what is visible', is, shouldBe);
}

function compareClient(client: OfflineClient, { document }: LoggedText): string | undefined {
  return client.text === document.text ? undefined : differ("the client's text", client.text, document.text);
}
