import { createServer } from 'node:http';

/** The door on this machine through which the browser brings a code back. */
export interface ReturnListener {
  /** The address to give to the service. */
  redirect: string;
  close(): void;
}

const path = '/auth/callback';

/**
 * Listens on 127.0.0.1, at a port that the system chooses, for one return. `take` says whether an address belongs to this login; the page that the
 * browser is shown says what to do and holds nothing of it.
 */
export async function listenForReturn(take: (returned: URL) => Promise<string | undefined>): Promise<ReturnListener> {
  let redirect = '';
  const server = createServer((incoming, response) => {
    const show = (status: number, text: string): void => {
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
        connection: 'close',
      });
      response.end(`${text}\n`);
    };
    const host = new URL(redirect).host;
    const returned = URL.parse(incoming.url ?? '', `http://${host}`);
    // Another name for this address would be another page's: DNS can be made to lead here.
    const isHere = incoming.headers.host === host && incoming.method === 'GET' && returned?.pathname === path;
    if (returned === null || !isHere) return show(404, 'There is nothing here.');
    void take(returned).then(
      (told) => show(told === undefined ? 400 : 200, told ?? 'This is not the login that Loom waits for.'),
      () => show(500, 'The login failed. Loom says why.'),
    );
  });
  server.headersTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A login that nobody completes does not keep the process.
  server.unref();
  const address = server.address();
  redirect = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}${path}`;
  return {
    redirect,
    close: () => void server.close(),
  };
}
