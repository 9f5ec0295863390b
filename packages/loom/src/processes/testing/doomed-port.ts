import { systemClock } from '../../runtime/system-clock.ts';
import { createProcessPort } from '../process-port.ts';

// The part of Loom that starts programs, for tests to kill: runs the given commands side by side. It is ready to be killed ten times sooner
// than a whole Loom. Its arguments are a folder and the commands.
const [directory = '', ...commands] = process.argv.slice(2);
const processes = createProcessPort({ clock: systemClock });
for (const command of commands) {
  const environment = { PATH: process.env['PATH'] ?? '' };
  const spawned = await processes.spawn({ command: ['bash', '-c', command], directory, environment });
  if (!spawned.ok) throw new Error(spawned.refusal.message);
}
