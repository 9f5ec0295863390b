import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NodeState } from '@loom/kernel';
import { createStage, starts } from './testing/claude-stage.ts';

test('[CI11] a turn says what the program says, with its names, its session and what it cost; the next one uses the same process', async (t) => {
  const { root, say, state, texts, logged } = await createStage(t);
  const first = await say(root, 'hello');
  await say(first, 'again');
  assert.deepEqual(await texts(), ['hello', 'You said hello.', 'again', 'You said again.']);
  assert.equal(starts(logged()).length, 1);
  const now = await state();
  const node = now.nodes.get(first);
  assert.equal(node?.origin?.source, 'claude-code');
  assert.ok(
    node.source.type === 'model' && node.source.usage?.cost_usd === 0.25 && node.source.usage.output_tokens === 9,
  );
  const asked = now.nodes.get(node.parent);
  assert.match(
    JSON.stringify([asked?.note, node.note, now.config['exported']]),
    /"exported".*"session".*"claude_result".*"claude-code"/,
  );
});

test('[CI12] a question about a call goes to a person, with the rules that "always" would keep; the decision reaches the program', async (t) => {
  const { engine, root, start, waiting, texts, logged, request } = await createStage(t);
  const decide = async (more: {
    decision: 'approved' | 'denied';
    text?: string;
    scope?: 'folder';
  }): Promise<unknown> => {
    const turn = await start(root, 'ask');
    const node = await waiting();
    const outcome = await engine.turns.decide({ ...request(), type: 'person' }, root, {
      node: node.id,
      arguments: '{"command":"ls"}',
      ...more,
    });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    await engine.turns.wait(turn);
    return [
      node.ask?.rules?.map(({ tool, command }) => [tool, command]),
      logged()
        .filter((line) => !Array.isArray(line))
        .at(-1),
    ];
  };
  const rule = {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
    behavior: 'allow',
    destination: 'localSettings',
  };
  assert.deepEqual(await decide({ decision: 'approved', scope: 'folder' }), [
    [['Bash', 'ls']],
    { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [rule] },
  ]);
  assert.ok((await texts()).includes('a.txt'));
  assert.deepEqual(await decide({ decision: 'denied', text: 'No.' }), [
    [['Bash', 'ls']],
    { behavior: 'deny', message: 'No.' },
  ]);
  assert.ok((await texts()).includes('No.'));
});

test('[CI13] what a person says meanwhile is heard where the model reads it', async (t) => {
  const { engine, root, start, waiting, texts, state, request, logged, until } = await createStage(t);
  const turn = await start(root, 'ask');
  const node = await waiting();
  assert.ok((await engine.turns.steer(request(), root, turn, [{ type: 'text', text: 'faster' }])).ok);
  // The program has it before it goes on with the call.
  await until(async () => (JSON.stringify(logged()).includes('{"queued":"faster"}') ? true : undefined));
  assert.ok(
    (
      await engine.turns.decide({ ...request(), type: 'person' }, root, {
        node: node.id,
        decision: 'approved',
        arguments: '{"command":"ls"}',
      })
    ).ok,
  );
  await engine.turns.wait(turn);
  const said = await texts();
  assert.ok(said.indexOf('faster') > said.indexOf('Asking'), said.join());
  const heard = [...(await state()).nodes.values()].find(({ blocks }) =>
    blocks.some((block) => 'text' in block && block.text === 'faster'),
  );
  assert.match(JSON.stringify(heard?.note), /"claude-code"/);
});

test('[CI14] a stopped turn is interrupted and its process used again; one that does not react is ended', async (t) => {
  const { engine, root, start, say, leaf, texts, logged, until, state, request } = await createStage(t);
  const stop = async (words: string): Promise<void> => {
    const turn = await start(root, words);
    await until(async () =>
      (await state()).turns.get(turn)?.ended === undefined && starts(logged()).length > 0 ? true : undefined,
    );
    assert.ok((await engine.turns.abort(request(), root, turn)).ok);
    await engine.turns.wait(turn);
  };
  await stop('hang');
  await stop('deaf');
  await say(await leaf(), 'on');
  assert.equal((await texts()).at(-1), 'You said on.');
});

test('[CI14] a program that dies in mid-turn is a failure with its words kept, and the next turn starts another', async (t) => {
  const { root, say, state, texts } = await createStage(t);
  const died = await say(root, 'die');
  assert.match(
    JSON.stringify((await state()).nodes.get(died)?.blocks),
    /ended in the middle of its turn.*"detail":\{"agent":"Claude Code","ended":true,"exit":3\}/,
  );
  await say(root, 'hello');
  assert.equal((await texts()).at(-1), 'You said hello.');
});

test('[CI15] a turn that the agent begins itself is a turn below the last one, behind a notice', async (t) => {
  const { root, say, state, until, texts } = await createStage(t);
  await say(root, 'background');
  await until(async () => ((await texts()).at(-1) === 'You said a task.' ? true : undefined));
  const [, second] = (await state()).turns.values();
  assert.equal(second?.startedBy, 'agent');
});

test('[CI15] a turn that the agent begins in the same breath as it ends the last one is heard, too', async (t) => {
  const { root, say, state, until, texts } = await createStage(t);
  await say(root, 'background at once');
  await until(async () => ((await texts()).at(-1) === 'You said a task.' ? true : undefined));
  assert.deepEqual(
    [...(await state()).turns.values()].map(({ startedBy }) => startedBy),
    [undefined, 'agent'],
  );
});

test('[CI25] a sub-agent in the background goes on in its own conversation when the turn is over, and is asked about there', async (t) => {
  const { engine, root, say, state, until, texts, request, logged } = await createStage(t);
  await say(root, 'send out');
  const child = await until(
    async () =>
      [...(await state()).nodes.values()].flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
      )[0],
  );
  const stateOfChild = () => engine.forest.log(child).state();
  const textsOfChild = async (): Promise<string[]> =>
    [...(await stateOfChild()).nodes.values()].flatMap(({ blocks }) =>
      blocks.flatMap((block) => ('text' in block ? [block.text] : [])),
    );
  const node = await until(async () => [...(await stateOfChild()).nodes.values()].find(({ ask }) => ask !== undefined));
  const decided = await engine.turns.decide({ ...request(), type: 'person' }, child, {
    node: node.id,
    decision: 'approved',
    arguments: '{"command":"rm late.txt"}',
  });
  assert.ok(decided.ok, JSON.stringify(decided));
  await until(async () => ((await textsOfChild()).includes('These are my last words.') ? true : undefined));
  await until(async () => ((await texts()).at(-1) === 'You said a task.' ? true : undefined));
  await until(async () =>
    [...(await stateOfChild()).turns.values()].every(({ ended }) => ended !== undefined) ? true : undefined,
  );
  const said = await textsOfChild();
  for (const words of ['Look around.', 'late.txt', 'I found something.', 'Removed.'])
    assert.equal(said.filter((text) => text === words).length, 1, `${words} in ${said.join(' | ')}`);
  assert.deepEqual(
    (await texts()).filter((text) => /found|last words|late/.test(text)),
    [],
    'not in the main conversation',
  );
  assert.deepEqual(
    [...(await stateOfChild()).turns.values()].map(({ startedBy, ended }) => [startedBy, ended?.reason]),
    [
      [undefined, 'done'],
      ['agent', 'done'],
    ],
  );
  assert.match(JSON.stringify(logged()), /"late":"allow"/);
});

test('[CI25] a program that dies while its sub-agent goes on ends that turn, too', async (t) => {
  const { engine, root, say, state, until } = await createStage(t);
  await say(root, 'send out and die');
  const child = [...(await state()).nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
  )[0];
  const turns = async () => [...(await engine.forest.log(child ?? '').state()).turns.values()];
  await until(async () => ((await turns()).at(1)?.ended?.reason === 'error' ? true : undefined));
});

test('[CI16] a program that is not logged in, or not there, is said before anything else', async (t) => {
  const { root, say, state, provider } = await createStage(t, { LOGGED_IN: 'no' });
  const node = await say(root, 'hello');
  assert.match(
    JSON.stringify((await state()).nodes.get(node)?.blocks),
    /not logged in\. Run `claude auth login`.*"login":"claude auth login"/,
  );
  const offer = await provider.offers?.();
  assert.partialDeepStrictEqual(offer?.state, { type: 'missing', needs: 'login' });
  const { provider: other } = await createStage(t);
  const offered = await other.offers?.();
  assert.deepEqual(
    [offered?.state, offered?.models],
    [{ type: 'installed', version: '9.0.0' }, [{ name: 'opus', about: 'big' }]],
  );
  assert.match(offered?.remark ?? '', /newer than the versions that Loom was tried with/);
});

test('[CI19] the command that goes on in a terminal is known at the end of the own session, else why there is none', async (t) => {
  const { engine, root, say, state, leaf, request } = await createStage(t);
  const ask = async (node: string, agent?: string): Promise<unknown> => {
    const caller = { ...request(), type: 'person' as const, role: 'owner' as const, door: 'library' as const };
    const outcome = await engine.call('agent.command', caller, { node, ...(agent === undefined ? {} : { agent }) });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  };
  const end = await say(root, 'hello');
  assert.match(JSON.stringify(await ask(end)), /"why":"Claude Code no longer has the session/);
  // The fake program keeps no session: its file is written here.
  const { directory, session, line } = sessionOf((await state()).pathTo(end));
  const folder = join(directory, '.claude', 'projects', directory.replaceAll(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${session}.jsonl`);
  writeFileSync(file, `${JSON.stringify({ type: 'assistant', uuid: line })}\n`);
  const found: unknown = await ask(end);
  assert.partialDeepStrictEqual(found, { agent: 'claude', directory });
  assert.match(JSON.stringify(found), new RegExp(`"line":"cd .* && .* --resume ${session}"`));
  appendFileSync(file, `${JSON.stringify({ type: 'assistant', uuid: 'another' })}\n`);
  assert.match(JSON.stringify(await ask(end)), /"why":"The session has gone on behind this message/);
  const other = await engine.forest.append(request(), root, {
    parent: await leaf(),
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Another model.' }] }],
  });
  assert.ok(other.ok);
  assert.match(
    JSON.stringify(await ask(other.value.nodes[0] ?? '', 'claude')),
    /"why":"Claude Code did not speak last/,
  );
});

function sessionOf(path: readonly NodeState[]): { directory: string; session: string; line: string } {
  const notes = JSON.stringify(path.map(({ note }) => note));
  const find = (pattern: RegExp): string => pattern.exec(notes)?.[1] ?? assert.fail(notes);
  const line = notes.match(/(?<="keys":\[")[0-9a-f-]{36}/g)?.at(-1) ?? assert.fail(notes);
  return { directory: find(/"cwd":"([^"]+)"/), session: find(/"session":"([^"]+)"/), line };
}

test('[AG41] what a turn has cost so far is known while the program works, so that a limit stops it; it goes on from there', async (t) => {
  const asked: unknown[] = [];
  const prices = async () => (model: string, usage: { input_tokens: number }) => {
    asked.push([model, usage.input_tokens]);
    return 3;
  };
  const { engine, root, start, state, say, leaf, texts } = await createStage(t, {}, { turn: 2, prices });
  assert.equal(await engine.turns.wait(await start(root, 'spend')), 'limit');
  assert.deepEqual(asked, [['claude-sonnet-4-5', 100_000]]);
  const nodes = [...(await state()).nodes.values()];
  const costs = nodes.flatMap(({ source }) => (source.type === 'model' ? (source.usage?.cost_usd ?? []) : []));
  assert.deepEqual([costs, nodes.at(-1)?.blocks[0]?.type], [[3], 'error']);
  await say(await leaf(), 'go on');
  assert.equal((await texts()).at(-1), 'You said go on.');
});
