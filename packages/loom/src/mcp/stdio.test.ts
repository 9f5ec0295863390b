import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { PROGRAM, ownEnvironment, runLoom } from '../testing/loom-process.ts';

const root = z.object({ root: z.string() });

/** A client that has started `loom mcp`, as desktop apps do. */
async function connect(t: TestContext, home: string, args: string[] = []): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: ownEnvironment(home),
    stderr: 'inherit',
  });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

test('[MC16] a client starts loom mcp: it works on the folder, beside other clients, and leaves no token behind', async (t) => {
  const home = temporaryDirectory(t);
  const first = await connect(t, home);
  assert.equal(first.getServerVersion()?.name, 'loom');
  const made = root.parse((await first.callTool({ name: 'root_create', arguments: {} })).structuredContent);
  const said = { parent: made.root, messages: [{ role: 'user', content: 'By stdio.' }] };
  await first.callTool({ name: 'node_append', arguments: said });
  const second = await connect(t, home, ['--allow', 'read', '--agent', 'other']);
  const tools = (await second.listTools()).tools.map(({ name }) => name);
  assert.ok(tools.includes('block_read') && !tools.includes('node_append'));
  const read = await second.callTool({ name: 'block_read', arguments: { block_id: `${made.root}/@mcp/1` } });
  assert.match(JSON.stringify(read.structuredContent), /By stdio\./u);
  // The process that has the folder ends; the other client goes on.
  await first.close();
  const listed = await second.callTool({ name: 'root_list', arguments: {} });
  assert.match(JSON.stringify(listed.structuredContent), new RegExp(made.root, 'u'));
  await second.close();
  assert.equal(existsSync(join(home, '.loom', 'tokens.json')), false);
});

test('[MC16] standard output is the protocol alone, the end of the input ends it, and wrong arguments are refused', async (t) => {
  const home = temporaryDirectory(t);
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    env: ownEnvironment(home),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: unknown[] = [];
  const out = createInterface({ input: child.stdout });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\nnot json\n`);
  for await (const line of out) {
    lines.push(JSON.parse(line));
    child.stdin.end();
  }
  if (child.exitCode === null) await once(child, 'exit');
  assert.equal(child.exitCode, 0);
  assert.equal(lines.length, 1);
  const { code, stdout, stderr } = await runLoom(['mcp', '--allow', 'everything'], { home });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /--allow takes read, append or edit, not everything/u);
});
