import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerInfo } from './server-answers.ts';
import { aboutServer, acceptedWords, tokensOf } from './server-words.ts';

const now = Date.parse('2026-11-19T12:00:00Z');
const server = (more: Partial<ServerInfo>): ServerInfo => ({
  name: 'db',
  all: 'db__*',
  command: 'npx db',
  state: 'ready',
  calls: 0,
  tools: [],
  ...more,
});

test('[WB521] a server is described by how it starts and how it does', () => {
  const since = '2026-11-19T08:48:00Z';
  assert.equal(aboutServer(server({ since, calls: 84 }), now), 'npx db · running 3h 12m · 84 calls');
  assert.equal(aboutServer(server({ state: 'off' }), now), 'npx db');
  assert.equal(
    aboutServer(server({ state: 'failed', message: 'exit 1', failures: 3, retry_at: '2026-11-19T12:00:40Z' }), now),
    'exit 1 · failed 3 times, retrying in 40s',
  );
  const url = 'https://mcp.example.org';
  assert.equal(
    aboutServer(server({ url, state: 'needs-login', message: 'the server asks for a login' }), now),
    'https://mcp.example.org · the server asks for a login',
  );
});

test('[WB521] only tools that models get are counted in tokens', () => {
  const tool = { name: 'db__a', own_name: 'a', description: 'x'.repeat(400), parameters: {}, effect: 'reads' as const };
  assert.equal(tokensOf([{ ...tool, withheld: 'changed' }]), 0);
  assert.ok(tokensOf([tool]) > 100);
});

test('[WB522] the time of an acceptance is worded as in a sentence', () => {
  assert.equal(acceptedWords('2026-11-19T11:59:50Z', now), 'just now');
  assert.equal(acceptedWords('2026-11-19T11:54:00Z', now), '6m ago');
  assert.equal(acceptedWords('2026-11-02T12:00:00Z', now), 'on Nov 2');
});
