import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pendingWork } from '@loom/sync';
import type { KeptStep, KeptText } from '@loom/sync';
import { createMemoryOutboxStorage, createWebOutboxStorage } from './outbox-storage.ts';
import type { StorageEvents, WebStorage } from './outbox-storage.ts';
import { TextStorage } from './text-storage.ts';

/** A browser's storage that several pages share: each hears what the others do. */
class SharedArea {
  readonly entries = new Map<string, string>();
  readonly #pages: ((key: string, value: string | null) => void)[] = [];

  openPage(): TextStorage {
    const page = this.#pages.length;
    const tell = (key: string, newValue: string | null): void => {
      for (const [index, hear] of this.#pages.entries()) if (index !== page) hear(key, newValue);
    };
    const { entries } = this;
    const area: WebStorage = {
      get length() {
        return entries.size;
      },
      key: (index) => [...entries.keys()][index] ?? null,
      getItem: (key) => entries.get(key) ?? null,
      setItem: (key, value) => {
        entries.set(key, value);
        tell(key, value);
      },
      removeItem: (key) => {
        entries.delete(key);
        tell(key, null);
      },
    };
    const events: StorageEvents = {
      addEventListener: (_type, listener) => {
        this.#pages.push((key, newValue) => listener({ key, newValue }));
      },
      removeEventListener: () => {},
    };
    return new TextStorage(createWebOutboxStorage(area, 'server', events), fail);
  }
}

const fail = (error: unknown): never => assert.fail(String(error));

const kept: KeptText = {
  id: 'a/1',
  block: 'root/@ann/1',
  node: 'root/node-1',
  epoch: 'e',
  seed: 1,
  document: 'AAA=',
  edits: [{ id: 'first', client: 7, seed: 1, burst: 1, update: 'AAA=' }],
};

const typed = (number: number): KeptStep => ({
  did: { id: `key-${number}`, client: 7, seed: 1, burst: 1, update: 'AAECAwQFBgcICQ==' },
});

test('[CL31] a text is kept as one entry and short pages of what happened since, and comes back in that order', async () => {
  const area = new SharedArea();
  const page = area.openPage();
  assert.equal(page.add(kept.id, [typed(0)]), false, 'there is nothing to add to');
  page.put(kept);
  for (let key = 0; key < 100; key += 1) assert.equal(page.add(kept.id, [typed(key)]), true);
  page.add(kept.id, [{ confirmed: 'first' }, { confirmed: 'key-0' }, { update: 'AAA=' }, { grown: 'x' }]);
  const lengths = [...area.entries.values()].map(({ length }) => length);
  assert.ok(lengths.length > 2 && lengths.length < 10 && lengths.every((length) => length < 5000), lengths.join());
  const [left, ...others] = await area.openPage().load('root');
  assert.deepEqual(others, []);
  assert.deepEqual(left?.steps?.slice(0, 3), [typed(0), typed(1), typed(2)]);
  assert.deepEqual(
    pendingWork(left ?? kept).map(({ id }) => id),
    Array.from({ length: 99 }, (_, index) => `key-${index + 1}`),
  );
  assert.deepEqual(await area.openPage().load('elsewhere'), []);
  page.put({ ...kept, edits: [] });
  assert.equal(area.entries.size, 1, 'what is put takes the place of everything before');
  page.add(kept.id, [typed(1)]);
  page.remove(kept.id);
  assert.equal(area.entries.size, 0);
});

test('[CL31] what is confirmed is removed by the next page, and put again by the one that has it open', async () => {
  const area = new SharedArea();
  const page = area.openPage();
  page.put(kept);
  page.add(kept.id, [{ confirmed: 'first' }]);
  assert.equal(area.entries.size, 2);
  assert.deepEqual(await area.openPage().load('elsewhere'), []);
  assert.equal(area.entries.size, 0);
  assert.equal(page.add(kept.id, [typed(1)]), false);
  page.put({ ...kept, edits: [] });
  assert.equal(page.add(kept.id, [typed(1)]), true);
  const [left] = await area.openPage().load('root');
  assert.equal(pendingWork(left ?? kept).length, 1);
});

test('[CL31] steps without their text are removed, and steps that cannot be read end what happened', async () => {
  const area = new SharedArea();
  const page = area.openPage();
  page.put(kept);
  page.add(kept.id, [typed(1)]);
  const [text = '', steps = ''] = area.entries.keys();
  const pages = area.entries.get(steps) ?? '';
  area.entries.set(steps, `${pages}{"not":"steps"}\n${pages}`);
  const [left] = await area.openPage().load('root');
  assert.deepEqual(left?.steps, [typed(1)]);
  area.entries.set(text, '{"block":7}');
  assert.deepEqual(await area.openPage().load('root'), []);
  assert.equal(area.entries.size, 2, 'what is no text stays');
  area.entries.delete(text);
  assert.deepEqual(await area.openPage().load('root'), []);
  assert.equal(area.entries.size, 0);
});

test('[CL31] in a storage that does not tell what others remove, nothing is added to a text', () => {
  const page = new TextStorage(createMemoryOutboxStorage(), fail);
  page.put(kept);
  assert.equal(page.add(kept.id, [typed(1)]), false);
});
