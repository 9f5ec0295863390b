import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { continuationIn } from '@loom/blocks';
import type { Continuation } from '@loom/blocks';
import { createStage } from './testing/claude-stage.ts';

test('[CI31] how Claude Code would go on is known before anything is sent, and noted on the turn', async (t) => {
  const { engine, root, say, state, leaf, request, start } = await createStage(t);
  const ask = async (node: string): Promise<Continuation['how'] | undefined> => {
    const caller = { ...request(), type: 'person' as const, role: 'reader' as const, door: 'library' as const };
    const outcome = await engine.call('agent.continuation', caller, { node, agent: 'claude' });
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value.how;
  };
  const noted = async (): Promise<Continuation | undefined> =>
    continuationIn(
      (await state()).pathTo(await leaf()).findLast(({ note }) => note?.['continued'] !== undefined)?.note,
    );
  const end = await say(root, 'hello');
  const [question] = (await state()).pathTo(end);
  assert.equal(await ask(question?.id ?? ''), 'new');
  assert.equal(await noted(), undefined, 'there was nothing to go on from');
  assert.equal(await ask(end), 'session', 'the fake program keeps no session');
  // Its file is written here, with the line that the branch ends with.
  const notes = JSON.stringify((await state()).pathTo(end).map(({ note }) => note));
  const [session] = notes.match(/(?<="session":")[^"]+/u) ?? [];
  const line = notes.match(/(?<="keys":\[")[0-9a-f-]{36}/gu)?.at(-1);
  const [directory = ''] = notes.match(/(?<="cwd":")[^"]+/u) ?? [];
  const folder = join(directory, '.claude', 'projects', directory.replaceAll(/[^A-Za-z0-9]/gu, '-'));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${session}.jsonl`);
  writeFileSync(file, `${JSON.stringify({ type: 'assistant', uuid: line })}\n`);
  assert.equal(await ask(end), 'own-session');
  writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify({ type: 'user', uuid: 'elsewhere' })}\n`);
  assert.equal(await ask(end), 'fork');
  await say(end, 'again');
  assert.deepEqual(await noted(), { how: 'own-session' }, 'its process was still warm');
  const other = await engine.forest.append(request(), root, {
    parent: await leaf(),
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Another model.' }] }],
  });
  assert.ok(other.ok);
  const [node = ''] = other.value.nodes;
  assert.equal(await ask(node), 'session');
  // This Loom writes no sessions: the branch is told as text.
  await engine.turns.wait(await start(node, 'and now'));
  assert.deepEqual(await noted(), { how: 'text' });
});

test('[OP323] a provider that is no agent, an unknown one and an unknown message are told apart', async (t) => {
  const { engine, root, request } = await createStage(t);
  const ask = async (node: string, agent: string): Promise<string> => {
    const caller = { ...request(), type: 'person' as const, role: 'reader' as const, door: 'library' as const };
    const outcome = await engine.call('agent.continuation', caller, { node, agent });
    return outcome.ok ? JSON.stringify(outcome.value) : outcome.refusal.reason;
  };
  assert.deepEqual(
    [await ask(root, 'none'), await ask(`${root}/node-99`, 'claude')],
    ['unknown-provider', 'node-not-found'],
  );
});
