import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { BlockDocument } from './block-document.ts';
import { ClientText } from './client-text.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '😀'), maxLength: 6 });

/** The events of one text at a server and two of its clients, before everything reaches all of them. */
type Happening =
  | { type: 'typed'; client: 0 | 1; at: number; delete: number; insert: string }
  | { type: 'sent'; client: 0 | 1 }
  | { type: 'read'; client: 0 | 1 }
  | { type: 'appended'; text: string }
  | { type: 'spliced'; at: number; insert: string };

const anyClient = fc.constantFrom(0 as const, 1 as const);
const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    type: fc.constant('typed' as const),
    client: anyClient,
    at: fc.nat(30),
    delete: fc.nat(3),
    insert: anyText,
  }),
  fc.record({ type: fc.constant('sent' as const), client: anyClient }),
  fc.record({ type: fc.constant('read' as const), client: anyClient }),
  fc.record({ type: fc.constant('appended' as const), text: anyText }),
  fc.record({ type: fc.constant('spliced' as const), at: fc.nat(30), insert: anyText }),
);

/** The server's side, as the kernel keeps it: a seed that grows until the first edit, and a document from then on. */
class Server {
  seed: string;
  document: BlockDocument | undefined;
  /** The feed to all of them: an update, or text at the end of the seed. */
  readonly feed: ({ update: string } | { appended: string })[] = [];

  constructor(seed: string) {
    this.seed = seed;
  }

  get text(): string {
    return this.document?.text ?? this.seed;
  }

  append(text: string): void {
    if (text === '') return;
    if (this.document === undefined) {
      this.seed += text;
      this.feed.push({ appended: text });
    } else {
      const author = { agent: 'model', unit: 'turn' };
      this.#log(author, 3, this.document.planAppend(author, 3, text, true));
    }
  }

  splice(at: number, insert: string, count = 0): void {
    if (insert === '' && count === 0) return;
    const document = this.open();
    this.#log({ agent: 'tool', unit: 'edit' }, 3, document.planEdit(3, [{ at, delete: count, insert }]));
  }

  take(client: number, update: string): void {
    const taken = this.open().takeUpdate({ agent: 'person', unit: `typing-${client}` }, client, fromBase64(update));
    assert.ok(taken.ok, taken.ok ? '' : taken.problem);
    this.#log({ agent: 'person', unit: `typing-${client}` }, client, taken.edit);
  }

  open(): BlockDocument {
    this.document ??= new BlockDocument(this.seed);
    return this.document;
  }

  #log(author: { agent: string; unit: string }, client: number, edit: ReturnType<BlockDocument['planEdit']>): void {
    this.document?.applyEdit({ ...author, ...edit, client });
    this.feed.push({ update: edit.update });
  }
}

class Client {
  text: ClientText;
  readonly waiting: string[] = [];
  #read: number;
  /** The text as the splices have made it, in the way that an editor follows them. */
  #mirror: string;

  constructor(id: number, server: Server) {
    const update = server.document === undefined ? {} : { update: toBase64(server.document.encode()) };
    this.text = new ClientText(id, { text: server.text, ...update });
    this.#read = server.feed.length;
    this.#mirror = this.text.text;
  }

  edit(splice: TextSplice): string {
    const { update, splices } = this.text.edit([splice]);
    this.follow(splices);
    return update;
  }

  read(server: Server): void {
    for (const item of server.feed.slice(this.#read)) {
      const splices = 'update' in item ? this.text.apply(item.update) : this.text.grow(item.appended);
      this.follow(splices ?? assert.fail('it has been a document from the beginning'));
    }
    this.#read = server.feed.length;
  }

  follow(splices: readonly TextSplice[]): void {
    this.#mirror = spliceText(this.#mirror, splices);
    assert.equal(this.#mirror, this.text.text, 'the splices say how the text has changed');
  }

  send(server: Server): void {
    for (const update of this.waiting.splice(0)) server.take(this.text.client, update);
  }
}

/** The nearest offset that cuts no character. */
function boundary(text: string, offset: number): number {
  const at = Math.min(offset, text.length);
  return text.slice(0, at).isWellFormed() ? at : at - 1;
}

test('[SY23][SY60] whatever is typed at clients, streamed and edited at the server meets in one text, and splices say how', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyHappening, { maxLength: 25 }), (seed, happenings) => {
      const server = new Server(seed);
      const clients = [new Client(7, server), new Client(5, server)] as const;
      for (const happening of happenings) {
        switch (happening.type) {
          case 'typed': {
            const { text, waiting } = clients[happening.client];
            const at = boundary(text.text, happening.at);
            const count = boundary(text.text, at + happening.delete) - at;
            if (count > 0 || happening.insert !== '') {
              const expected = text.text.slice(0, at) + happening.insert + text.text.slice(at + count);
              waiting.push(clients[happening.client].edit({ at, delete: count, insert: happening.insert }));
              assert.equal(text.text, expected);
            }
            break;
          }
          case 'sent':
            clients[happening.client].send(server);
            break;
          case 'read':
            clients[happening.client].read(server);
            break;
          case 'appended':
            server.append(happening.text);
            break;
          case 'spliced':
            server.splice(boundary(server.text, happening.at), happening.insert);
            break;
        }
      }
      for (const client of clients) client.send(server);
      for (const client of [...clients, new Client(9, server)]) {
        client.read(server);
        assert.equal(client.text.text, server.text);
      }
    }),
    { numRuns: 500 },
  );
});

test('[SY23] a text without what was typed here is the text that the others have', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.array(fc.tuple(fc.boolean(), fc.nat(20), fc.nat(3), anyText), { maxLength: 8 }),
      (seed, edits) => {
        const [mine, others] = [new ClientText(7, { text: seed }), new ClientText(5, { text: seed })];
        const typed: string[] = [];
        for (const [isMine, place, length, insert] of edits) {
          const text = isMine ? mine : others;
          const at = boundary(text.text, place);
          // Characters that both have deleted count as deleted there, so only one of them deletes here.
          const splice = { at, delete: isMine ? boundary(text.text, at + length) - at : 0, insert };
          if (isMine) typed.push(mine.edit([splice]).update);
          else mine.apply(others.edit([splice]).update);
        }
        assert.equal(mine.without(typed), others.text);
      },
    ),
  );
});

test('[SY23] an edit that cuts a character or leaves the text is a bug, and what no store can hold is cleaned', () => {
  const text = new ClientText(7, { text: 'a😀b' });
  assert.throws(() => text.edit([{ at: 2, delete: 0, insert: 'x' }]), RangeError);
  assert.throws(() => text.edit([{ at: 0, delete: 2, insert: '' }]), RangeError);
  assert.throws(() => text.edit([{ at: 4, delete: 1, insert: '' }]), RangeError);
  text.edit([{ at: 0, delete: 1, insert: '\0\ud800' }]);
  assert.equal(text.text, '\ufffd\ufffd😀b');
});

test('[SY23] text that comes to the end is part of what every client begins with until there was an update', () => {
  const text = new ClientText(7, { text: 'one' });
  text.edit([{ at: 3, delete: 0, insert: '!' }]);
  assert.deepEqual(text.grow(' two'), [{ at: 3, delete: 0, insert: ' two' }]);
  assert.equal(text.text, 'one two!');
  text.apply(new ClientText(5, { text: 'one two' }).edit([{ at: 0, delete: 0, insert: '> ' }]).update);
  assert.equal(text.grow(' three'), undefined);
  assert.equal(text.text, '> one two!');
});

/** The actions of a person alone in a text: numbers say where, among the visible characters. */
const anyAction = fc.oneof(
  fc.record({
    type: fc.constant('typed' as const),
    edits: fc.array(fc.tuple(fc.nat(30), fc.nat(3), anyText), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('undone' as const) }),
  fc.record({ type: fc.constant('redone' as const) }),
  fc.record({ type: fc.constant('spliced' as const), at: fc.nat(30), count: fc.nat(3), insert: anyText }),
  fc.record({ type: fc.constant('appended' as const), text: anyText }),
);

test('[SY61] what is retracted is as if it had not been typed, comes back when reinstated, and what follows it is taken', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyAction, { maxLength: 20 }), (seed, actions) => {
      const server = new Server(seed);
      const client = new Client(7, server);
      const [done, undone]: [string[][], string[][]] = [[], []];
      for (const action of actions) {
        const { text } = client;
        switch (action.type) {
          case 'typed':
            done.push(
              action.edits.flatMap(([place, length, insert]) => {
                const at = boundary(text.text, place);
                const count = boundary(text.text, at + length) - at;
                return count === 0 && insert === '' ? [] : [client.edit({ at, delete: count, insert })];
              }),
            );
            undone.length = 0;
            break;
          case 'undone': {
            const unit = done.pop();
            if (unit === undefined) break;
            const before = text.without(unit);
            client.follow(text.retract(unit));
            // Nothing else was deleted meanwhile, or both say that it is gone.
            if (server.feed.length === 0) assert.equal(text.text, before);
            undone.push(unit);
            break;
          }
          case 'redone': {
            const unit = undone.pop();
            if (unit === undefined) break;
            client.follow(text.reinstate(unit));
            done.push(unit);
            break;
          }
          case 'spliced': {
            const at = boundary(server.text, action.at);
            server.splice(at, action.insert, boundary(server.text, at + action.count) - at);
            client.read(server);
            break;
          }
          case 'appended':
            server.append(action.text);
            client.read(server);
        }
      }
      for (const update of done.flat()) server.take(7, update);
      client.read(server);
      assert.equal(client.text.text, server.text);
      assert.equal(new Client(9, server).text.text, server.text);
    }),
    { numRuns: 1000 },
  );
});
