import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import { Notices } from '../app/notices.ts';
import { Away } from './away.ts';

/** A server that marks conversations, but not `kept`, and notes what it was asked for. */
function world() {
  const asked: unknown[] = [];
  const seen: string[][] = [];
  const notices = new Notices();
  async function ask<Name extends string>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>;
  async function ask(name: string, params: { roots?: string[] }): Promise<unknown> {
    seen.push([...away.gone.getSnapshot()]);
    asked.push([name, params]);
    return {
      items: (params.roots ?? []).map((root) =>
        root === 'kept' ? { root, refusal: { reason: 'bookmarked' } } : { root, before: { archived: false } },
      ),
    };
  }
  const away: Away = new Away({ ask, notices, refresh: async () => void asked.push('refresh') });
  const act = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
  return { away, asked, seen, notices, act };
}

test('[WB343] what is archived leaves lists before the server answers, and comes back by one call', async () => {
  const { away, asked, seen, notices, act } = world();
  const archiving = away.archive(act('one', 'two'));
  assert.deepEqual([...away.gone.getSnapshot()], ['one', 'two']);
  await archiving;
  assert.deepEqual(seen, [['one', 'two']]);
  assert.equal(away.gone.getSnapshot().size, 0, 'from now on the server leaves them out');
  const toast = notices.toast.getSnapshot();
  assert.equal(toast?.text, 'Archived 2 conversations.');
  toast?.action?.run();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked, [
    ['root.mark', { roots: ['one', 'two'], archived: true }],
    'refresh',
    [
      'root.mark',
      {
        each: [
          { root: 'one', archived: false },
          { root: 'two', archived: false },
        ],
      },
    ],
    'refresh',
  ]);
});

test('[WB343] what a bookmark protects stays and is counted, and undo restores what was deleted alone', async () => {
  const { away, asked, notices, act } = world();
  await away.remove(act('one', 'kept'));
  const toast = notices.toast.getSnapshot();
  assert.equal(toast?.text, 'Deleted 1 conversation. 1 conversation with bookmarks or a running turn stayed.');
  toast?.action?.run();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked[2], ['root.restore', { roots: ['one'] }]);
});
