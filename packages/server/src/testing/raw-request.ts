import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** A request whose headers are exactly these, names and values in turn: `fetch` would put them right. */
export async function rawRequest(
  base: string,
  { method, path, headers, body }: { method: string; path: string; headers: string[]; body?: string },
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const outgoing = request({ hostname, port, method, path, headers, setHost: false });
  const answered = new Promise<RawAnswer>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      text(incoming).then(
        (said) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: said }),
        reject,
      );
    });
    // A refused upgrade is an answer like any other; an accepted one is not expected here.
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: '' });
    });
  });
  outgoing.end(body);
  return answered;
}

/** Writes bytes to the server as they are, and returns the response until it hangs up. */
export async function rawBytes(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(bytes);
  return text(socket);
}
