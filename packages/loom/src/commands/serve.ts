import { nodeDisk } from '@loom/data-folder/files';
import { accessOperations } from '../serve/access-operations.ts';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { isDatabaseUrl } from '../command-line/store-kind.ts';
import { noteOf } from '../runtime/files-note.ts';
import { takeForServing } from '../runtime/sharing/hand-over.ts';
import { openDoor, owner } from '../serve/door.ts';
import { ownVersion } from '../command-line/own-version.ts';
import { describe, greet, untilStopped } from '../serve/greeting.ts';
import { openLogFile } from '../serve/log-file.ts';
import { listenAt, readListeningPlace, refuseWideOpen } from '../serve/listening-place.ts';
import { credentialsOf, openTokensOnce } from '../serve/token-file.ts';
import { createFolderIndex } from '../texts/search-index.ts';

/** `loom serve` */
export async function serve(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal } = call;
  const place = readListeningPlace(call);
  if (isDatabaseUrl(store)) return (await import('./serve-database.ts')).serveDatabase(call, place, store);
  const openTokens = openTokensOnce(nodeDisk, dataDir);
  const tokens = await openTokens();
  refuseWideOpen(place, tokens.list.length);
  const note = noteOf(terminal, isJson);
  const index = createFolderIndex(dataDir);
  const operations = accessOperations(openTokens);
  // Problems with the data are printed beside JSON too: there may be no other reader.
  const opened = await takeForServing({
    dataDir,
    store,
    operations,
    credentials: credentialsOf(openTokens),
    note: terminal.note,
    index,
    givesTitles: true,
  });
  try {
    const onFailure = (error: unknown): void => note(`${describe(error)}\n`);
    const log = openLogFile({ dataDir, now: Date.now });
    const door = await openDoor({
      opened,
      tokens,
      listen: (server) => listenAt(place, server, note),
      onFailure,
      log: log.write,
    });
    log.write({ level: 'info', event: 'started', version: ownVersion, pid: process.pid, url: door.url });
    for (const [lost, { seq }] of opened.lost) log.write({ level: 'error', event: 'lost-log', log: lost, change: seq });
    const stopped = untilStopped(call);
    opened.watch();
    // Indexing the existing data may take a while; the server is ready before that.
    void index.follow().catch(onFailure);
    if (call.options.has('follow')) void opened.call('import.follow', { on: true }).catch(onFailure);
    const { url, server } = door;
    if (isJson) terminal.out(`${JSON.stringify({ url, token: door.place.token, pid: process.pid })}\n`);
    else greet(call, url, await server.issueCode(owner));
    await stopped;
    await door.close();
    log.write({ level: 'info', event: 'stopped', pid: process.pid });
    await log.flush();
    return EXIT.ok;
  } finally {
    await index.close();
    await opened.close();
  }
}
