import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

/** A way to the database on which connections can be cut and held up. */
export interface ConnectionCutter {
  port: number;
  /** Cuts all connections, at whatever byte they are. */
  cut: () => void;
  /** Lets nothing through until `goOn`. */
  pause: () => void;
  goOn: () => void;
  close: () => void;
}

/** Opens a way to a port of this machine. */
export async function openCutter(target: number): Promise<ConnectionCutter> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isPaused = false;
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    const pair = [client, database] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      database.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => void database.write(bytes));
    database.on('data', (bytes) => void client.write(bytes));
    if (isPaused) for (const socket of pair) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the cutter has no port');
  const each = (work: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) work(socket);
  };
  return {
    port: address.port,
    cut: () => each((socket) => socket.destroy()),
    pause() {
      isPaused = true;
      each((socket) => socket.pause());
    },
    goOn() {
      isPaused = false;
      each((socket) => socket.resume());
    },
    close() {
      each((socket) => socket.destroy());
      server.close();
    },
  };
}
