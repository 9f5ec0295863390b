import { nodeDisk } from '@loom/data-folder/files';
import { tokenOperations } from '@loom/server/access';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { noteOf } from '../runtime/files-note.ts';
import { takeForServing } from '../runtime/sharing/hand-over.ts';
import { openDoor, owner } from '../serve/door.ts';
import { ownVersion } from '../command-line/own-version.ts';
import { openLogFile } from '../serve/log-file.ts';
import { listenAt, readListeningPlace, refuseWideOpen } from '../serve/listening-place.ts';
import { credentialsOf, openTokensOnce } from '../serve/token-file.ts';
import { styleFor } from '../terminal/style.ts';
import { createFolderIndex } from '../texts/search-index.ts';

/** `loom serve` */
export async function serve(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal } = call;
  const place = readListeningPlace(call);
  const openTokens = openTokensOnce(nodeDisk, dataDir);
  const tokens = await openTokens();
  refuseWideOpen(place, tokens.list.length);
  const note = noteOf(terminal, isJson);
  const index = createFolderIndex(dataDir);
  const operations = tokenOperations(openTokens);
  // Problems with the data are printed beside JSON too: there may be no other reader.
  const opened = await takeForServing({
    dataDir,
    store,
    operations,
    credentials: credentialsOf(openTokens),
    note: terminal.note,
    index,
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

function greet({ terminal }: Call, url: string, code: string): void {
  const style = styleFor(terminal, 'out');
  terminal.out(`Loom is running. Open this address in a browser; it signs you in once, within five minutes:\n\n`);
  terminal.out(`  ${style.strong(`${url}/#code=${code}`)}\n\n`);
  terminal.out(`Ctrl-C stops it. Answers that are being written then end as interrupted, with their text.\n`);
}

/** Resolves at the first Ctrl-C, or when the system asks the process to end. */
function untilStopped({ terminal }: Call): Promise<void> {
  return new Promise((resolve) => {
    const stopListening = terminal.onInterrupt(() => finish());
    const finish = (): void => {
      // The next Ctrl-C ends the process at once. That its terminal is closed it may hear more than once.
      stopListening();
      process.off('SIGTERM', finish);
      resolve();
    };
    process.on('SIGTERM', finish).on('SIGHUP', finish);
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
