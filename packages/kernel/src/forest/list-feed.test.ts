import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '@loom/stores/memory';
import type { ListedRoot } from './listed-root.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Forest } from './forest.ts';
import { ListFeed } from './list-feed.ts';
import { ProjectPlaces } from './project-places.ts';
import { user } from './testing/test-root.ts';

let ids = 0;
const next = (): string => String((ids += 1)).padStart(6, '0');
const request = (): { agent: string; id: string } => ({ agent: 'anna', id: next() });

function world() {
  const clock = new VirtualClock();
  const store = createMemoryStore();
  const open = (): Forest => new Forest({ store, clock, ids: { next } });
  const forest = open();
  const failures: unknown[] = [];
  const feed = new ListFeed({
    forest,
    projects: new ProjectPlaces({ clock }),
    clock,
    failed: (error) => void failures.push(error),
  });
  const told: ListedRoot[][] = [];
  const stop = feed.subscribe((items) => void told.push(items));
  /** Returns the changes told since the last look, as id and title. */
  const heard = async (): Promise<string[][]> => {
    await clock.advanceAndRest(50);
    return told.splice(0).map((items) => items.map(({ id, title, opening }) => `${id}: ${title ?? opening}`));
  };
  return { clock, store, forest, feed, open, heard, stop, failures, told };
}

async function begin(forest: Forest): Promise<string> {
  const made = await forest.createRoot(request());
  return made.ok ? made.value.root : assert.fail();
}

test('[FR126] a conversation that is made, said to, named, deleted or restored is told as a list shows it, once for all that happened within 50 ms', async () => {
  const { forest, heard, told, clock } = world();
  const root = await begin(forest);
  await forest.append(request(), root, { parent: root, messages: [user('hello')] });
  assert.deepEqual(await heard(), [[`${root}: hello`]]);
  await forest.markRoot(request(), root, { title: 'Greeting' });
  assert.deepEqual(await heard(), [[`${root}: Greeting`]]);
  await forest.removeRoot(request(), root);
  await clock.advanceAndRest(50);
  assert.deepEqual(
    told.splice(0).flatMap((items) => items.map(({ deleted }) => deleted)),
    [true],
  );
  await forest.restoreRoot(request(), root);
  assert.deepEqual(await heard(), [[`${root}: Greeting`]]);
  assert.deepEqual(await heard(), [], 'nothing happened');
});

test('[FR126] what others write is told of new conversations, and of those that are in use here', async () => {
  const { forest, open, heard } = world();
  const other = open();
  assert.deepEqual(await forest.roots(), []);
  const root = await begin(other);
  assert.deepEqual(await heard(), [[`${root}: `]]);
  forest.log(root).subscribe(() => {});
  await forest.log(root).state();
  await other.markRoot(request(), root, { title: 'Theirs' });
  assert.deepEqual(await heard(), [[`${root}: Theirs`]]);
});

test('[FR126] a conversation that left memory and is read again is no news, unless others wrote meanwhile', async () => {
  const { forest, open, heard } = world();
  const root = await begin(forest);
  assert.deepEqual(await heard(), [[`${root}: `]]);
  const log = forest.log(root);
  const readAgain = async (): Promise<string[][]> => {
    assert.ok(await log.release());
    await log.read(({ seq }) => seq);
    return heard();
  };
  assert.deepEqual(await readAgain(), []);
  await open().markRoot(request(), root, { title: 'Theirs' });
  assert.deepEqual(await readAgain(), [[`${root}: Theirs`]]);
  assert.deepEqual(await readAgain(), []);
});

test('[FR126] a listener that throws keeps none from hearing, and one that has stopped hears nothing', async () => {
  const { forest, feed, heard, stop, failures, clock } = world();
  const broken = feed.subscribe(() => {
    throw new Error('broken');
  });
  const root = await begin(forest);
  assert.deepEqual(await heard(), [[`${root}: `]]);
  assert.equal(failures.length, 1);
  broken();
  stop();
  stop();
  await begin(forest);
  await clock.advanceAndRest(50);
  assert.deepEqual(await heard(), []);
});

test('[FR126] a conversation that cannot be looked at is tried again', async () => {
  const { forest, clock, failures } = world();
  let fails = 1;
  const summary: Forest['summary'] = (root) => {
    fails -= 1;
    return fails >= 0 ? Promise.reject(new Error('away')) : forest.summary(root);
  };
  const told: ListedRoot[][] = [];
  const watched = { subscribeToHeads: forest.subscribeToHeads.bind(forest), summary };
  const feed = new ListFeed({
    forest: watched,
    projects: new ProjectPlaces({ clock }),
    clock,
    failed: (error) => void failures.push(error),
  });
  feed.subscribe((items) => void told.push(items));
  const root = await begin(forest);
  await clock.advanceAndRest(50);
  assert.deepEqual([told.length, failures.length], [0, 1]);
  await clock.advanceAndRest(1000);
  assert.deepEqual(
    told.map((items) => items.map(({ id }) => id)),
    [[root]],
  );
});

test('[OP350] what another process writes in a conversation that is not open here is told, without a look into its log', async () => {
  const { store, clock, forest, heard } = world();
  const other = new Forest({ store: store.share(), clock, ids: { next } });
  assert.deepEqual(await forest.roots(), []);
  const root = await begin(other);
  await heard();
  await forest.log(root).release();
  let reads = 0;
  const read = store.read.bind(store);
  Reflect.set(store, 'read', (...range: Parameters<typeof read>) => ((reads += 1), read(...range)));
  await other.markRoot(request(), root, { title: 'Theirs' });
  await clock.advanceAndRest(50);
  assert.deepEqual(await heard(), [[`${root}: Theirs`]]);
  assert.equal(reads, 0);
  assert.deepEqual(await heard(), []);
});

test('[OP350] an announcement that was lost is made up for by a look at the newest conversations', async () => {
  const { store, clock, heard, told } = world();
  const mute = store.share();
  Reflect.set(mute, 'announce', () => {});
  const other = new Forest({ store: mute, clock, ids: { next } });
  const root = await begin(other);
  await heard();
  await other.append(request(), root, { parent: root, messages: [user('hello')] });
  assert.deepEqual(await heard(), []);
  await clock.advanceAndRest(10_000);
  assert.deepEqual(
    told.flatMap((items) => items.map(({ opening }) => opening)),
    ['hello'],
  );
});
