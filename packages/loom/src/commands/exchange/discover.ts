import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { count, describeBytes } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { friendlyPath } from '../config/config-view.ts';

/** `loom discover` */
export function discoverSessions(call: Call): Promise<ExitCode> {
  const { dataDir, isJson, terminal } = call;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withReader({ dataDir, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const { items } = orFail(await loom.call('source.list', {}));
    if (isJson) {
      for (const item of items) terminal.out(`${JSON.stringify(item)}\n`);
      return EXIT.ok;
    }
    if (items.length === 0) {
      terminal.out('No sessions of agents were found on this machine.\n');
      terminal.note(`Exports of chats are taken in by their paths: ${suggest('import export.zip')}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    for (const { name, sessions, bytes, imported, folders } of items) {
      const facts = `${count(sessions, 'session').padStart(14)}  ${describeBytes(bytes).padStart(9)}  ${imported} imported`;
      const where = folders.map((folder) => friendlyPath(folder, terminal)).join(', ');
      terminal.out(`${style.strong(name.padEnd(12))}${facts}  ${style.faint(where)}\n`);
    }
    terminal.note(`Take them in with ${suggest('import')}; doing it again adds what is new.\n`);
    return EXIT.ok;
  });
}
