import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { Store } from '../stores/store.ts';
import { ProjectList } from './project-list.ts';

test('[WB342] the projects are read when the list is live, again when it changes, and once for all changes of a second', async () => {
  const empty: ListView = { status: 'joining', items: [], children: [], jobs: [] };
  const list = new Store<ListView>(empty);
  const waiting: (() => void)[] = [];
  let asked = 0;
  async function ask<Name extends string>(name: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>;
  async function ask(name: string): Promise<unknown> {
    if (name === 'project.list') asked += 1;
    const counts = { all: 7, archived: 2 };
    return name === 'project.list' ? { items: [{ project: 'p', name: 'p' }], counts } : { items: [] };
  }
  const projects = new ProjectList({ ask, list, later: (work) => void waiting.push(work) });
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked, 0);
  list.set({ ...empty, status: 'live' });
  await rest();
  const { isKnown, all, archived } = projects.view.getSnapshot();
  assert.deepEqual([asked, isKnown, all, archived], [1, true, 7, 2]);
  for (let change = 0; change < 5; change += 1) list.set({ ...empty, status: 'live', items: [] });
  await rest();
  assert.equal(asked, 1, 'the second is not over');
  waiting.splice(0).forEach((work) => work());
  await rest();
  assert.equal(asked, 2);
  waiting.splice(0).forEach((work) => work());
  await rest();
  assert.equal(asked, 2, 'nothing has changed since');
  await projects.refresh();
  assert.equal(asked, 3);
});
