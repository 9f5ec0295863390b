import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { TestContext } from 'node:test';

export interface TokenProxy {
  /** The host by which it is called. */
  host: string;
  passTo(url: string, token: string): void;
}

/**
 * Passes requests on with a token, for clients that cannot send one. It changes nothing else: the Host header stays, so that the guard
 * behind it sees the name.
 */
export async function openTokenProxy(t: TestContext): Promise<TokenProxy> {
  let [target, token] = ['', ''];
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { hostname, port } = new URL(target);
    const passed = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answered) => {
      outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
      outgoing.flushHeaders();
      answered.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { host: `127.0.0.1:${port}`, passTo: (url, bearer) => void ([target, token] = [url, bearer]) };
}
