import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A way to a server on which connections can be cut, at any byte. */
export interface CuttingProxy {
  url: string;
  /** The target of connections. */
  target: string;
  /** Cuts the connection that is next, after so many bytes from the server. */
  cutAfter(bytes: number): void;
  /** The number of connections cut. */
  readonly cuts: number;
}

/** Opens the proxy. A server behind it has to accept its name as an alias. */
export async function openCuttingProxy(t: TestContext): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let limits: number[] = [];
  let cuts = 0;
  let target = '';
  const proxy = createServer((client) => {
    const { hostname, port } = new URL(target);
    const server = connect(Number(port), hostname);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    let passed = 0;
    open.add(client).add(server);
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes: Buffer) => {
      const limit = limits[0];
      if (limit === undefined || passed + bytes.length < limit) {
        passed += bytes.length;
        return void client.write(bytes);
      }
      limits = limits.slice(1);
      cuts += 1;
      client.write(bytes.subarray(0, Math.max(0, limit - passed)), end);
    });
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  return {
    url: `http://127.0.0.1:${portOf(proxy.address())}`,
    get target() {
      return target;
    },
    set target(url) {
      target = url;
    },
    cutAfter: (bytes) => void limits.push(bytes),
    get cuts() {
      return cuts;
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port');
  return address.port;
}
