import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { temporaryDirectory } from '@loom/kernel/testing';
import { serveLoom } from '../testing/served-loom.ts';
import { createConformanceServer } from './testing/conformance-server.ts';
import { openTokenProxy } from './testing/token-proxy.ts';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`[MC15] the official conformance suite passes behind the guard: what ${revision} requires`, async (t) => {
    const bus = new InMemoryServerEventBus();
    const proxy = await openTokenProxy(t);
    const mcp = { serverFor: () => createConformanceServer(bus), bus };
    const served = await serveLoom(t, { mcp, names: [proxy.host] });
    proxy.passTo(served.url, served.requests.token);
    const cwd = temporaryDirectory(t);
    const { code, output } = await run(
      ['server', '--url', `http://${proxy.host}/mcp`, '--requirements', revision],
      cwd,
    );
    t.diagnostic(output.slice(output.lastIndexOf('SUMMARY')));
    assert.equal(code, 0, output.slice(-6000));
  });
}

function run(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [suite, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` }),
    );
  });
}
