import { isLoopback } from '@loom/server';
import type { ListenOptions, LoomServer } from '@loom/server';
import type { Call } from '../command-line/command.ts';
import { LoomError, UsageError } from '../command-line/failure.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The default port: always the same, so that an open page finds the server again. */
const usualPort = 4177;

/** The address to listen on, from the command line. */
export interface ListeningPlace extends ListenOptions {
  host: string;
  names: readonly string[];
  /** The port was named; another one will not do. */
  isChosen: boolean;
}

export function readListeningPlace({ options, repeated }: Pick<Call, 'options' | 'repeated'>): ListeningPlace {
  const given = options.get('port');
  // As it stands in addresses: [::1].
  const host = (textOf(options.get('host')) ?? '127.0.0.1').replace(/^\[(.*)\]$/u, '$1');
  const names = (repeated.get('name') ?? [])
    .flatMap((given) => given.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const publicUrl = readPublicUrl(textOf(options.get('public-url')));
  const port = given === undefined ? usualPort : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError('bad-option', `--port takes a number from 0 to 65535, not ${String(given)}`, {
      advice: 'With 0 a free one is taken.',
    });
  }
  const wrong = names.find((name) => !/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/u.test(name));
  if (wrong !== undefined) {
    throw new UsageError('bad-option', `--name takes names of this machine with their ports, not ${wrong}`, {
      advice: 'Such as --name loom.example:4177',
    });
  }
  return { port, host, names, isChosen: given !== undefined, ...(publicUrl === undefined ? {} : { publicUrl }) };
}

/** The address of a proxy in front. Loom's page is at its root: a path would not be found again in links of the page itself. */
function readPublicUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  const isPlain = url !== null && /^https?:$/u.test(url.protocol) && `${url.origin}/` === url.href;
  if (isPlain) return url.origin;
  throw new UsageError('bad-option', `--public-url takes a web address without a path, not ${given}`, {
    advice: 'Such as --public-url https://loom.example',
  });
}

/** Refuses to listen beyond this machine by accident: clients must know its name, and sign in by tokens that were made for them. */
export function refuseWideOpen({ host, names, publicUrl }: ListeningPlace, tokens: number): void {
  if (isLoopback(host)) return;
  if (names.length === 0 && publicUrl === undefined) {
    throw new UsageError('bad-option', `${host} can be reached from other machines; by which names?`, {
      advice: `Name them: --host ${host} --name loom.example:4177. Requests for other names are refused.`,
    });
  }
  if (tokens === 0) {
    throw new LoomError('no-token', `${host} can be reached from other machines, and there is no token yet`, {
      advice: `Make one first: ${suggest('token create ada --type person --role owner')}`,
    });
  }
}

/** Begins to listen, and returns the address to open. The usual port may be taken by another server; then a free one does as well. */
export async function listenAt(
  { isChosen, ...place }: ListeningPlace,
  server: Pick<LoomServer, 'listen'>,
  note: (text: string) => void,
): Promise<string> {
  try {
    return await server.listen(place);
  } catch (error) {
    if (isChosen || codeOf(error) !== 'EADDRINUSE') throw cannotListen(error, place);
    note(`Port ${place.port} is taken by another program, so a free one is used.\n`);
    return listenAt({ ...place, port: 0, isChosen: true }, server, note);
  }
}

function cannotListen(cause: unknown, { port, host }: Pick<ListeningPlace, 'port' | 'host'>): LoomError {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return port === 0
        ? new LoomError('no-free-port', `no port of ${host} is free`, {
            advice: 'End programs that listen or have many connections open, then try again.',
            cause,
          })
        : new LoomError('port-taken', `another program listens on port ${port} of ${host}`, {
            advice: 'Choose another one with --port; --port 0 takes a free one.',
            cause,
          });
    case 'EACCES':
      return new LoomError('port-denied', `this system does not let you listen on port ${port}`, {
        advice: 'Choose a port above 1023 with --port.',
        cause,
      });
    default:
      return new LoomError(
        'cannot-listen',
        `cannot listen on ${host}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { advice: 'Give an address of this machine with --host.', cause },
      );
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function textOf(value: string | true | undefined): string | undefined {
  return value === true ? undefined : value;
}
