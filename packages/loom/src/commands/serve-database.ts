import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/failure.ts';
import type { DatabaseUrl } from '../command-line/store-kind.ts';
import { withoutFolder, withSharedStore } from '../runtime/opened-store.ts';
import { openDoor, owner } from '../serve/door.ts';
import { describe, greet, untilStopped } from '../serve/greeting.ts';
import { listenAt, refuseWideOpen } from '../serve/listening-place.ts';
import type { ListeningPlace } from '../serve/listening-place.ts';

/** Serves a store in PostgreSQL, beside any number of other processes that do. */
export function serveDatabase(call: Call, place: ListeningPlace, url: DatabaseUrl): Promise<ExitCode> {
  const { dataDir, isJson, options, terminal } = call;
  if (options.has('follow')) {
    throw new UsageError('needs-folder', '--follow imports the files of one machine, and many serve this store', {
      advice: 'Follow into a data folder, and import its archive.',
    });
  }
  return withSharedStore({ url, dataDir }, async (opened) => {
    const tokens = await opened.openTokens();
    refuseWideOpen(place, tokens.list.length);
    const { note } = terminal;
    const door = await openDoor({
      opened,
      tokens,
      isShared: true,
      listen: (server) => listenAt(place, server, note),
      onFailure: (error) => note(`${describe(error)}\n`),
    });
    opened.followTexts();
    const stopped = untilStopped(call);
    if (isJson) terminal.out(`${JSON.stringify({ url: door.url, token: door.place.token, pid: process.pid })}\n`);
    else {
      greet(call, door.url, await door.server.issueCode(owner));
      terminal.out(`Not there without a data folder: ${withoutFolder}.\n`);
    }
    await stopped;
    await door.close();
    return EXIT.ok;
  });
}
