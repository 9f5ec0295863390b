import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { addressOf, projectNames } from '../../forest/projects.ts';
import type { FolderPort, RepositoryFacts } from '../../ports.ts';
import type { Outcome } from '../../refusal.ts';
import { createWorld } from '../../testing/world.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

const [tides, worktree, notes] = ['/home/user/tides', '/home/user/tides-worktrees/one', '/home/user/notes'];

/** A machine with one repository, a worktree of it and a plain folder; says which folders were looked at. */
function machine(): { folders: FolderPort; looks: string[] } {
  const looks: string[] = [];
  const facts: Record<string, RepositoryFacts> = {
    [tides]: { top: tides, remote: 'git@github.com:jo/tides.git' },
    [worktree]: { top: tides, remote: 'git@github.com:jo/tides.git' },
  };
  const repositoryOf = async (directory: string): Promise<RepositoryFacts | undefined> => {
    looks.push(directory);
    return facts[directory];
  };
  return { folders: { repositoryOf }, looks };
}

async function begin(engine: LoomEngine, said: string, config: PlainObject = {}): Promise<string> {
  const { root } = value(await engine.forest.createRoot(by(), config));
  value(
    await engine.forest.append(by(), root, {
      parent: root,
      messages: [{ role: 'user', content: [{ type: 'text', text: said }] }],
    }),
  );
  return root;
}

/** The config of a conversation that was imported. */
function imported(source: string, directory: string, details: PlainObject = {}): PlainObject {
  return { directory, origin: { source, id: `${source}-${directory}` }, imported: { details } };
}

async function engineWith(folders: FolderPort): Promise<LoomEngine> {
  return (await createWorld()).another({ folders });
}

async function projectsOf(engine: LoomEngine, roots: readonly string[]): Promise<(string | undefined)[]> {
  const { items } = value(await engine.call('root.list', by(), { text: '' }));
  return roots.map((root) => items.find(({ id }) => id === root)?.project);
}

test('[OP155] a conversation belongs to the project it was put into, else the repository of its folder with all worktrees, else its folder', async () => {
  const { folders, looks } = machine();
  const engine = await engineWith(folders);
  const roots = [
    await begin(engine, 'one', { directory: tides }),
    await begin(engine, 'two', { directory: worktree }),
    await begin(engine, 'three', { directory: `${notes}/` }),
    await begin(engine, 'four'),
    await begin(engine, 'five', { directory: tides }),
  ];
  value(await engine.call('root.mark', by(), { root: roots[4] ?? '', project: 'harbor' }));
  const expected = ['github.com/jo/tides', 'github.com/jo/tides', notes, undefined, 'harbor'];
  assert.deepEqual(await projectsOf(engine, roots), expected);
  const { project } = value(await engine.call('root.get', by(), { root: roots[1] ?? '' }));
  assert.equal(project, 'github.com/jo/tides');
  value(await engine.call('root.mark', by(), { root: roots[4] ?? '', project: null }));
  assert.deepEqual((await projectsOf(engine, roots))[4], 'github.com/jo/tides');
  assert.deepEqual(looks.sort(), [notes, tides, worktree].sort(), 'each folder is looked at once');
});

test('[OP155] without its folder an imported conversation belongs to the repository that it or another one in the folder noted, or to that of its worktree', async () => {
  const engine = await engineWith({ repositoryOf: () => Promise.reject(new Error('no disk')) });
  const repository = 'https://jo:secret@git.example.com/jo/gone.git';
  const roots = [
    await begin(engine, 'codex', imported('codex', '/other/gone', { repository })),
    await begin(engine, 'claude', imported('claude-code', '/other/gone', { git_branch: 'main' })),
    await begin(engine, 'below', imported('claude-code', '/other/gone/src')),
    await begin(engine, 'worktree', imported('claude-code', '/other/port/.claude/worktrees/fix')),
    await begin(engine, 'plain', imported('claude-code', '/other/port')),
  ];
  const gone = 'git.example.com/jo/gone';
  assert.deepEqual(await projectsOf(engine, roots), [gone, gone, gone, '/other/port', '/other/port']);
});

test('[OP155] the address of a repository holds neither protocol nor user; a path is none', () => {
  const addresses = [
    'git@GitHub.com:jo/a.git',
    'ssh://git@h.io:22/jo/a',
    'https://t@h.io/jo/a.git/',
    '/srv/a.git',
    'a',
  ];
  const expected = ['github.com/jo/a', 'h.io/jo/a', 'h.io/jo/a', undefined, undefined];
  assert.deepEqual(addresses.map(addressOf), expected);
});

test('[OP156] projects are listed by their latest change, with counts, the strongest state, names that differ, and their first conversations', async () => {
  const { folders } = machine();
  const world = await createWorld();
  const engine = world.another({ folders });
  const alone = await begin(engine, 'no folder');
  const old = await begin(engine, 'old', { directory: '/a/notes' });
  const first = await begin(engine, 'first', { directory: tides });
  await world.clock.advanceAndRest(1000);
  const second = await begin(engine, 'second', { directory: worktree });
  const gone = await begin(engine, 'archived', { directory: tides });
  value(await engine.call('root.mark', by(), { root: gone, archived: true }));
  await world.clock.advanceAndRest(1000);
  const other = await begin(engine, 'other', { directory: '/b/notes' });
  value(await engine.call('root.remove', by(), { root: world.root }));
  const { items } = value(await engine.call('project.list', by(), { first: 1 }));
  assert.deepEqual(
    items.map(({ name, directory, conversations, all, items: rows }) => [
      name,
      directory,
      conversations,
      all,
      rows?.[0]?.id,
    ]),
    [
      ['b/notes', '/b/notes', 1, 1, other],
      ['tides', tides, 2, 2, second],
      ['a/notes', '/a/notes', 1, 1, old],
      ['', undefined, 1, 1, alone],
    ],
  );
  const found = value(await engine.call('project.list', by(), { text: 'FIRST', first: 5 })).items;
  assert.deepEqual(
    found.map(({ conversations, all, items: rows }) => [conversations, all, rows?.[0]?.id]),
    [[1, 2, first]],
  );
  const limited = value(await engine.call('project.list', by({ roots: [old] }), {})).items;
  assert.deepEqual(
    limited.map(({ name, conversations }) => [name, conversations]),
    [['notes', 1]],
  );
  assert.equal(projectNames(['x/a', 'y/b']).get('x/a'), 'a');
});

test('[OP157] filters narrow the list together, and the counts tell what each of their values would show', async () => {
  const world = await createWorld();
  const { engine, clock } = world;
  const codex = await begin(engine, 'parse the stations', imported('codex', tides));
  const claude = await begin(engine, 'Parse the tides', imported('claude-code', tides));
  await clock.advanceAndRest(60_000);
  const noted = await begin(engine, 'leap seconds', imported('codex', notes));
  value(await engine.call('root.mark', by(), { root: noted, title: 'Parse nothing', tags: ['time'] }));
  const list = async (params: ParamsOf<'root.list'>) => value(await engine.call('root.list', by(), params));
  const ids = async (params: ParamsOf<'root.list'>) => (await list({ ...params, ids: true })).ids;
  assert.deepEqual(await ids({ text: 'parse' }), [noted, codex, claude]);
  assert.deepEqual(await ids({ text: 'parse', source: 'codex', project: tides }), [codex]);
  assert.deepEqual(await ids({ source: ['codex', 'claude-code'], until: new Date(clock.now()).toISOString() }), [
    codex,
    claude,
  ]);
  assert.deepEqual(await ids({ since: new Date(clock.now()).toISOString() }), [noted]);
  assert.deepEqual(await ids({ project: '', state: 'done' }), [world.root]);
  assert.deepEqual(await ids({ state: ['waiting', 'running', 'failed'] }), []);
  const { counts, items, next } = await list({ text: 'parse', source: 'codex', counts: true, limit: 1 });
  assert.deepEqual([items.length, next], [1, noted]);
  assert.deepEqual(counts, {
    matching: 2,
    all: 4,
    archived: 0,
    project: [
      { value: notes, name: 'notes', count: 1 },
      { value: tides, name: 'tides', count: 1 },
    ],
    source: [
      { value: 'codex', count: 2 },
      { value: 'claude-code', count: 1 },
    ],
    model: [],
    state: [{ value: 'done', count: 2 }],
    tag: [{ value: 'time', count: 1 }],
  });
  const grouped = value(await engine.call('project.list', by(), { text: 'parse', source: 'codex', counts: true }));
  assert.deepEqual(grouped.counts, counts);
  const rest = await list({ text: 'parse', source: 'codex', limit: 1, after: next ?? '' });
  assert.deepEqual([rest.items.map(({ id }) => id), rest.next], [[codex], undefined]);
});

test('[OP157] what a conversation turned into since the last question is known, whichever process wrote it', async () => {
  const world = await createWorld();
  const other = world.another();
  const root = await begin(other, 'written elsewhere');
  const titles = async () =>
    value(await world.engine.call('root.list', by(), { text: '' })).items.map(({ title, opening }) => title ?? opening);
  assert.deepEqual((await titles()).includes('written elsewhere'), true);
  value(await other.call('root.mark', by(), { root, title: 'Renamed' }));
  assert.deepEqual((await titles()).includes('Renamed'), true);
});

test('[OP158] many conversations are marked and deleted in one call, each for itself, and the answer undoes it in one', async () => {
  const { engine } = await createWorld();
  const [one, two, three] = [await begin(engine, 'one'), await begin(engine, 'two'), await begin(engine, 'three')];
  value(await engine.call('root.mark', by(), { root: one, tags: ['a'], project: 'old' }));
  value(await engine.call('root.mark', by(), { root: two, archived: true }));
  const roots = [one, two, 'root-gone'];
  const answer = value(
    await engine.call('root.mark', by(), { roots, archived: true, add_tags: ['b'], project: 'new' }),
  );
  assert.deepEqual(answer.items, [
    { root: one, before: { tags: ['a'], archived: false, project: 'old' } },
    { root: two, before: { tags: null, project: null } },
    { root: 'root-gone', refusal: { reason: 'root-not-found', root: 'root-gone', next: { type: 'list-roots' } } },
  ]);
  const facts = async (root: string) => {
    const { tags, archived, project } = value(await engine.call('root.get', by(), { root }));
    return [tags, archived, project];
  };
  assert.deepEqual(
    [await facts(one), await facts(two)],
    [
      [['a', 'b'], true, 'new'],
      [['b'], true, 'new'],
    ],
  );
  const each = (answer.items ?? []).flatMap(({ root, before }) => (before === undefined ? [] : [{ root, ...before }]));
  value(await engine.call('root.mark', by(), { each }));
  assert.deepEqual(
    [await facts(one), await facts(two)],
    [
      [['a'], undefined, 'old'],
      [[], true, undefined],
    ],
  );
  const node = (await engine.forest.log(three).state()).nodes.keys().next().value ?? '';
  value(await engine.call('node.bookmark', by(), { node, title: 'keep' }));
  const removed = value(await engine.call('root.remove', by(), { roots: [one, three] })).items ?? [];
  assert.deepEqual(
    removed.map(({ root, before, refusal }) => [root, before, refusal?.reason]),
    [
      [one, { deleted: false }, undefined],
      [three, undefined, 'bookmarked'],
    ],
  );
  value(await engine.call('root.restore', by(), { roots: [one] }));
  assert.equal(value(await engine.call('root.get', by(), { root: one })).deleted, false);
  const unnamed = await engine.call('root.mark', by(), { archived: true });
  assert.equal(unnamed.ok ? undefined : unnamed.refusal.reason, 'invalid-params');
  const denied = await engine.call('root.mark', by({ roots: [one], role: 'writer' }), {
    roots: [one, two],
    archived: true,
  });
  assert.equal(denied.ok ? undefined : denied.refusal.reason, 'not-permitted');
});

test("[OP159] what a person has pinned is in that person's home, and lists can be limited to it", async () => {
  const { engine } = await createWorld();
  const [one, two] = [await begin(engine, 'one'), await begin(engine, 'two')];
  value(await engine.call('home.set', by(), { entries: [{ key: `pins/${one}`, value: {} }] }));
  const pinned = async (agent: string, isPinned: boolean) =>
    value(await engine.call('root.list', by({ agent }), { pinned: isPinned, ids: true })).ids;
  assert.deepEqual(await pinned('person', true), [one]);
  assert.deepEqual(await pinned('jo', true), []);
  assert.equal((await pinned('person', false))?.includes(two), true);
});
