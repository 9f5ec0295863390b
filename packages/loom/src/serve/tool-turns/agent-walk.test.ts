import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { FollowedConversation, LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { createTools } from '@loom/tools';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from '../testing/served.ts';

/** A small project: a greeting in five files, and its tests. */
const project: Readonly<Record<string, string>> = {
  'AGENTS.md': 'Functions are named by verbs. Run the tests with: bash tests.sh\n',
  'lib/words.sh': 'greeting() { printf "Hello"; }\n',
  'lib/names.sh': 'name_of() { printf "%s" "${1:-world}"; }\n# used by greeting\n',
  'lib/join.sh': 'join() { printf "%s, %s!" "$(greeting)" "$(name_of "$1")"; }\n',
  'bin/greet.sh': 'for part in lib/*.sh; do . "$part"; done\njoin "$1" # prints the greeting\n',
  'README.md': '`greeting` says hello.\n',
  'tests.sh':
    'out=$(bash bin/greet.sh Ann 2>&1)\n[ "$out" = "Hello, Ann!" ] && echo "1 passed" || { echo "failed: $out"; exit 1; }\n',
};
const changed = ['lib/words.sh', 'lib/names.sh', 'lib/join.sh', 'bin/greet.sh', 'README.md'];

interface Step {
  name: string;
  parameters: PlainObject;
}

const edit = (path: string, ...edits: [old: string, changed: string][]): Step => ({
  name: 'edit',
  parameters: { path, edits: edits.map(([old, text]) => ({ old_text: old, new_text: text })) },
});

/** One line of a file replaced, in the envelope that GPT models know. */
const patch = (...changes: [path: string, old: string, changed: string][]): Step => ({
  name: 'apply_patch',
  parameters: {
    patch: [
      '*** Begin Patch',
      ...changes.flatMap(([path, old, text]) => [`*** Update File: ${path}`, '@@', `-${old}`, `+${text}`]),
      '*** End Patch',
      '',
    ].join('\n'),
  },
});

const lineWith = (path: string, text: string): string =>
  project[path]?.split('\n').find((line) => line.includes(text)) ?? '';
const [whole, half, right] = [lineWith('lib/join.sh', 'join'), 'join() { :;', '$(greet)'];
const renamed = changed.filter((path) => path !== 'lib/join.sh');

/** The calls of a model that renames the function in five files, forgets one place, and repairs it. */
function stepsOf(hasPatches: boolean): Step[][] {
  const rename = renamed.map(
    (path) => [path, lineWith(path, 'greeting'), lineWith(path, 'greeting').replace('greeting', 'greet')] as const,
  );
  const broken = whole.replace('join() {', half);
  const test = { name: 'shell', parameters: { command: 'bash tests.sh' } };
  return [
    [
      { name: 'list', parameters: {} },
      { name: 'search', parameters: { pattern: 'greeting' } },
    ],
    changed.map((path) => ({ name: 'read', parameters: { path } })),
    hasPatches
      ? [
          patch(...rename.map(([path, old, text]): [string, string, string] => [path, old, text]), [
            'lib/join.sh',
            whole,
            broken,
          ]),
        ]
      : [...renamed.map((path) => edit(path, ['greeting', 'greet'])), edit('lib/join.sh', ['join() {', half])],
    [test],
    hasPatches
      ? [patch(['lib/join.sh', broken, whole.replace('$(greeting)', right)])]
      : [edit('lib/join.sh', [half, 'join() {'], ['$(greeting)', right])],
    [test],
  ];
}

/** Approves every call as it comes; returns the tools that were asked about. */
async function approveAll(client: LoomClient, isOver: () => boolean): Promise<string[]> {
  const asked: string[] = [];
  while (!isOver()) {
    const { items } = valueOf(await client.call('turn.waiting', {}));
    for (const { node, tool, arguments: exact, ask } of items) {
      assert.ok(ask.preview.some(({ type }) => type === (tool === 'shell' ? 'command' : 'file-change')));
      const outcome = await client.call('turn.decide', { node, decision: 'approved', arguments: exact });
      if (outcome.ok) asked.push(tool);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return asked;
}

/** The outputs of commands that a client has seen before they ended. */
function watchOutputs(followed: FollowedConversation, seen: Set<string>): void {
  for (const { blocks } of followed.replica.nodes.values()) {
    for (const block of blocks) if (block.type === 'command' && block.exit_code !== undefined) seen.add(block.command);
  }
}

for (const { name, wire, model, path, make } of emulatedProviders.filter((each) =>
  /^(?:anthropic|openai)$/u.test(each.name),
)) {
  test(`[AG30] a model that speaks as ${name} does reads, searches, edits five files, runs the tests, repairs what it broke, and a second client sees it`, async (t) => {
    const directory = realpathSync(temporaryDirectory(t));
    for (const [file, text] of Object.entries(project)) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), text);
    }
    const hasPatches = name === 'openai';
    const steps = stepsOf(hasPatches);
    const emulator = await startEmulator(wire, ({ rounds }) => {
      const calls = steps[rounds]?.map(({ name: tool, parameters }, index) => ({
        call: tool,
        arguments: JSON.stringify(parameters),
        id: `call_${rounds}_${index}`,
      }));
      return { said: calls ?? [{ say: 'The function is now named greet, and the tests pass.' }] };
    });
    t.after(() => emulator.close());
    const provider = make({
      baseURL: `${emulator.url}${path}`,
      key: async () => 'key',
      random: Math.random,
      clock: systemClock,
    });
    const { url, token } = await serve(t, {
      providers: [provider],
      tools: (dataDir, processes) =>
        createTools({ clock: systemClock, processes, environment: process.env, platform: process.platform, dataDir }),
    });
    const [first, second] = [clientOf(url, token), clientOf(url, token, 'events')];
    const { root } = valueOf(await first.call('root.create', { config: { directory } }));
    const { items } = valueOf(
      await first.call('tool.list', { root, provider: provider.id, model, offered: true, limit: 100 }),
    );
    const tools = items.map((tool) => tool.name);
    const content = 'Rename greeting to greet everywhere, and see that the tests pass.';
    const { nodes } = valueOf(await first.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
    const followed = second.follow(root);
    t.after(() => followed.close());
    assert.equal(await followed.ready(), true);
    const start = { node: nodes[0] ?? '', provider: provider.id, model, tools };
    const { turns } = valueOf(await first.call('turn.start', start));
    const over = { isOver: false };
    const seen = new Set<string>();
    const asking = approveAll(first, () => {
      watchOutputs(followed, seen);
      return over.isOver;
    });
    assert.deepEqual(valueOf(await first.call('turn.wait', { root, turn: turns[0] ?? '' })), { ended: 'done' });
    over.isOver = true;
    const asked = await asking;
    const changes = hasPatches ? ['apply_patch', 'apply_patch'] : Array.from({ length: 6 }, () => 'edit');
    assert.deepEqual(asked.toSorted(), [...changes, 'shell', 'shell']);
    for (const file of changed)
      assert.doesNotMatch(readFileSync(join(directory, file), 'utf8'), /greeting\b(?! \w)/u, file);
    const results = [...followed.replica.nodes.values()].filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.filter(({ tool }) => tool !== 'result').map(({ blocks }) => JSON.stringify(blocks)),
      [],
    );
    const outputs = results.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'command' && block.command === 'bash tests.sh' ? [block] : [])),
    );
    assert.deepEqual(
      outputs.map(({ exit_code: code }) => code),
      [1, 0],
    );
    assert.equal(outputs.at(-1)?.stdout, '1 passed\n');
    assert.ok(seen.has('bash tests.sh'), 'the second client saw results while the turn went on');
    const request = emulator.requests.at(-1)?.body ?? '';
    assert.match(request, /Functions are named by verbs/u, 'the instructions of the folder are in the prompt');
    assert.match(request, /1 passed/u);
  });
}
