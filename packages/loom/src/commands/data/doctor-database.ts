import { renewCounters } from '@loom/stores/archive';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import type { DatabaseUrl } from '../../command-line/store-kind.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withSharedStore } from '../../runtime/opened-store.ts';
import type { OpenedStore } from '../../runtime/opened-store.ts';
import { count, Progress } from '../../terminal/progress.ts';

/** `loom doctor` for a store in PostgreSQL: reads every change of every conversation, or renews a database that was restored. */
export function examineDatabase(call: Call, url: DatabaseUrl): Promise<ExitCode> {
  const { options, dataDir } = call;
  for (const option of ['set-aside', 'acknowledge']) {
    if (!options.has(option)) continue;
    throw new UsageError('needs-folder', `--${option} works with a data folder, and the store is in PostgreSQL`, {
      advice: 'Restore the database from a backup instead.',
    });
  }
  return withSharedStore({ url, dataDir }, (loom) =>
    options.has('restored') ? renew(call, loom) : readEverything(call, loom),
  );
}

/** Clients and processes that know of changes after the point of the backup read everything again, and no id is given out twice. */
async function renew({ isJson, terminal }: Call, { store, newId }: OpenedStore): Promise<ExitCode> {
  const logs = await store.renewEpochs();
  await renewCounters({ store, id: newId() });
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, renewed_logs: logs })}\n`);
  else {
    terminal.out(
      `Renewed ${count(logs, 'log')}: clients read them again, and ids given out after the backup are never reused.\n` +
        'Tokens, links and people are as they were then: revoke again what was revoked since.\n',
    );
  }
  return EXIT.ok;
}

async function readEverything({ isJson, terminal }: Call, { engine, damaged, verify }: OpenedStore): Promise<ExitCode> {
  const progress = new Progress(noteOf(terminal, isJson));
  const roots = await engine.forest.roots();
  for (const [index, root] of roots.entries()) {
    progress.tick(() => `reading: ${index} of ${count(roots.length, 'conversation')}`);
    await verify(root);
  }
  const findings = [...damaged].map(([log, error]) => ({
    what: 'log',
    where: log,
    message: error.message,
    state: 'broken',
  }));
  const isFine = findings.length === 0;
  if (isJson) terminal.out(`${JSON.stringify({ ok: isFine, roots: roots.length, findings })}\n`);
  else {
    for (const { what, where, message, state } of findings) terminal.out(`${state} ${what} ${where}: ${message}\n`);
    const looked = count(roots.length, 'conversation');
    terminal.out(
      isFine
        ? `${looked}: all is well.\n`
        : `${looked}: ${count(findings.length, 'thing')} broken. Restore the database to an earlier point, then run this command with --restored.\n`,
    );
  }
  return isFine ? EXIT.ok : EXIT.failed;
}
