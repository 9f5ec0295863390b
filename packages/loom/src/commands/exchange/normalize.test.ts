import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { runInside } from '../../testing/fake-terminal.ts';
import { PROGRAM } from '../../testing/loom-process.ts';

const said = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's1', message: { role: 'user', content: 'Go' } };
const text = { type: 'text', text: 'Hello' };
const answer = {
  type: 'assistant',
  uuid: 'a1',
  session_id: 's1',
  message: {
    id: 'm1',
    role: 'assistant',
    model: 'x',
    content: [text],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 5 },
  },
};
const exec = { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Hello' } };
const rollout = {
  timestamp: '2026-01-01T00:00:00Z',
  type: 'response_item',
  payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
};

test('[NZ8] loom normalize prints a message per line, and what it cost', async () => {
  const kinds: [string, object][] = [
    ['claude-cli', answer],
    ['claude-code', { ...answer, parentUuid: null, sessionId: 's1' }],
    ['codex-cli', exec],
    ['codex', rollout],
  ];
  for (const [kind, line] of kinds) {
    const { code, out } = await runInside(['normalize', kind], { input: `${JSON.stringify(line)}\n` });
    assert.equal(code, 0, kind);
    const [message, usage, ...others] = out
      .trimEnd()
      .split('\n')
      .map((each): unknown => JSON.parse(each));
    assert.deepEqual(others, [], kind);
    assert.match(
      JSON.stringify(message),
      /^\{"role":"assistant","content":\[\{"type":"text","text":"Hello","block_id":"/u,
      kind,
    );
    assert.match(JSON.stringify(usage), /^\{"type":"usage","input_tokens":\d,"output_tokens":\d/u, kind);
  }
});

test('[NZ8] what cannot be normalized is refused with what to do, and what is left out is said', async () => {
  const refusals: [string[], string, number, RegExp][] = [
    [
      ['gemini'],
      '',
      2,
      /"gemini" is not a kind.*claude-cli, claude-code, codex-cli, codex, gemini-cli, opencode-cli, pi-cli\./su,
    ],
    [[], '', 2, /kind/u],
    [['claude-cli'], '', 1, /standard input is empty.*loom normalize claude-cli < file/su],
    [['claude-cli'], 'not JSON\n', 1, /there is no line of JSON in standard input.*stream-json/su],
    [['claude-code'], '{"type":"thread.started"}\n', 1, /nothing in standard input is of the kind claude-code/u],
  ];
  for (const [args, input, code, words] of refusals) {
    const refused = await runInside(['normalize', ...args], { input });
    assert.equal(refused.code, code, refused.note);
    assert.match(refused.note, words);
    assert.equal(refused.out, '');
  }
  const { code, note } = await runInside(['normalize', 'claude-code'], {
    input: `${JSON.stringify(said)}\nnot JSON\n{"type":"future"}\n`,
  });
  assert.equal(code, 0);
  assert.equal(note, 'A line is not JSON.\nLeft out, because it is not known: future (1 line)\n');
});

test('[NZ8] a reader that closes the pipe ends loom normalize quietly', async (t) => {
  const child = spawn(process.execPath, [PROGRAM, 'normalize', 'claude-code'], { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill());
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  child.stdin.on('error', () => undefined);
  const content = 'x'.repeat(100_000);
  child.stdout.once('data', () => child.stdout.destroy());
  for (let index = 0; index < 100; index += 1)
    child.stdin.write(`${JSON.stringify({ ...said, uuid: `u${index}`, message: { content } })}\n`);
  child.stdin.end();
  await once(child, 'close');
  assert.deepEqual([child.exitCode, stderr], [0, '']);
});
