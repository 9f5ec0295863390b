import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShellCache } from './shell-cache.ts';
import type { ShellPorts } from './shell-cache.ts';

const origin = 'https://loom.example';

/** Caches in memory, and a server whose document is that of the newest build. */
class Surroundings {
  readonly kept = new Map<string, Map<string, Response>>();
  build = 1;
  isAway = false;

  get ports(): ShellPorts {
    return {
      origin,
      fetch: async ({ url }) => {
        if (this.isAway) throw new TypeError('no connection');
        return new Response(`${new URL(url).pathname} of build ${this.build}`);
      },
      caches: {
        keys: async () => [...this.kept.keys()],
        delete: async (name) => this.kept.delete(name),
        open: async (name) => {
          const cache = this.kept.get(name) ?? new Map<string, Response>();
          this.kept.set(name, cache);
          return {
            match: async (request) => cache.get(addressOf(request))?.clone(),
            put: async (request, response) => void cache.set(addressOf(request), response),
            add: () => unused(),
            addAll: () => unused(),
            delete: () => unused(),
            keys: () => unused(),
            matchAll: () => unused(),
          };
        },
      },
    };
  }
}

function addressOf(request: RequestInfo | URL): string {
  return request instanceof Request ? request.url : String(request);
}

function unused(): never {
  throw new Error('the worker does not use this');
}

/** A request of the browser for a document; only browsers can make one. */
function visit(path: string): Request {
  return Object.defineProperty(new Request(`${origin}${path}`), 'mode', { value: 'navigate' });
}

test('[WB599] a new build shows at once, and the kept one only while the server cannot be reached', async () => {
  const around = new Surroundings();
  const shell = new ShellCache({ version: 'one', files: ['/', '/assets/a.js'] }, around.ports);
  await shell.fill();
  around.build = 2;
  assert.equal(await (await shell.respond(visit('/r/x')))?.text(), '/r/x of build 2');
  around.isAway = true;
  assert.equal(await (await shell.respond(visit('/r/x')))?.text(), '/ of build 1');
  assert.equal(await (await shell.respond(new Request(`${origin}/assets/a.js`)))?.text(), '/assets/a.js of build 1');
  assert.equal(shell.respond(new Request(`${origin}/api/v1/root.list`)), undefined, 'data passes by');
  assert.equal(shell.respond(new Request('https://elsewhere.example/assets/a.js')), undefined);
});

test('[WB599] a worker that takes over deletes the files of other builds, and nothing else', async () => {
  const around = new Surroundings();
  for (const version of ['one', 'two']) await new ShellCache({ version, files: ['/'] }, around.ports).fill();
  await around.ports.caches.open('of-another-program');
  await new ShellCache({ version: 'two', files: ['/'] }, around.ports).clean();
  assert.deepEqual([...around.kept.keys()], ['loom-shell-two', 'of-another-program']);
});
