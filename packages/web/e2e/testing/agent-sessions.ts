import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

type Line = Record<string, unknown>;

/** A person's own folder with sessions of agents in it, until the tests of a file are over. */
export function makeHome(after: (hook: () => void) => void): string {
  const home = mkdtempSync(join(tmpdir(), 'loom-home-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  const projects = join(home, '.claude/projects/-home-me-tides');
  writeLines(join(projects, `${tides}.jsonl`), tideLines());
  writeLines(join(projects, tides, 'subagents/agent-a1.jsonl'), agentLines());
  write(join(projects, tides, 'subagents/agent-a1.meta.json'), JSON.stringify(agentFacts));
  // A process that was killed while it wrote.
  const moon = said('11111111-0000-4000-8000-000000000010', null, 'user', 'How far is the moon?', moonSession);
  write(join(projects, `${moonSession}.jsonl`), `${JSON.stringify(moon)}\n{"parentUuid":"1111`);
  const day = '.codex/sessions/2026/11/15';
  writeLines(join(home, day, `rollout-2026-11-15T10-00-00-${thread}.jsonl`), rolloutLines());
  return home;
}

const tides = '7a1d0000-0000-4000-8000-000000000001';
const moonSession = '7a1d0000-0000-4000-8000-000000000002';
const thread = '019a8000-0000-7000-8000-000000000003';
const agentFacts = { agentType: 'general-purpose', description: 'Look up the table', toolUseId: 'toolu_1' };
const time = '2026-11-15T10:00:00.000Z';

function idOf(number: number): string {
  return `22222222-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function said(
  uuid: string,
  parent: string | null,
  role: string,
  content: unknown,
  session = tides,
  more: Line = {},
): Line {
  const message =
    role === 'assistant'
      ? {
          id: `msg_${uuid}`,
          type: 'message',
          role,
          model: 'claude-opus-5-5',
          content,
          usage: { input_tokens: 9, output_tokens: 5 },
        }
      : { role, content };
  return {
    parentUuid: parent,
    isSidechain: false,
    type: role,
    message,
    uuid,
    timestamp: time,
    cwd: '/home/me/tides',
    sessionId: session,
    version: '2.1.325',
    ...more,
  };
}

function tideLines(): Line[] {
  const call = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'Task',
    input: { description: 'Look up the table', prompt: 'When is low water?' },
  };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'At 16:20.' }] };
  return [
    said(idOf(1), null, 'user', 'When can I walk to the island?'),
    said(idOf(2), idOf(1), 'assistant', [call]),
    said(idOf(3), idOf(2), 'user', [result], tides, { toolUseResult: { agentId: 'a1', status: 'completed' } }),
    said(idOf(4), idOf(3), 'assistant', [{ type: 'text', text: 'From 15:00, and be back at 17:30.' }]),
  ];
}

function agentLines(): Line[] {
  const inside = { isSidechain: true, agentId: 'a1' };
  return [
    said(idOf(11), null, 'user', 'When is low water?', tides, inside),
    said(idOf(12), idOf(11), 'assistant', [{ type: 'text', text: 'The table says 16:20.' }], tides, inside),
  ];
}

function rolloutLines(): Line[] {
  const line = (type: string, payload: Line): Line => ({ timestamp: time, type, payload });
  const message = (role: string, type: string, text: string): Line =>
    line('response_item', { type: 'message', role, content: [{ type, text }] });
  return [
    line('session_meta', {
      id: thread,
      timestamp: time,
      cwd: '/home/me/boat',
      originator: 'codex_cli_rs',
      cli_version: '0.166.0',
    }),
    message('user', 'input_text', 'How long is the boat?'),
    message('assistant', 'output_text', 'Seven metres.'),
  ];
}

function writeLines(path: string, lines: readonly Line[]): void {
  write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
