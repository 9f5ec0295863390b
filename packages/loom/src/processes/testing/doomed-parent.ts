import { createProcessPort } from '../process-port.ts';
import { systemClock } from '../../runtime/system-clock.ts';

// A process of Loom for tests to kill: it runs a program and passes on what that prints. Its arguments are a folder and a command.
const [directory = '/', ...command] = process.argv.slice(2);
const environment = { PATH: process.env['PATH'] ?? '', TEST_MARK: process.env['TEST_MARK'] ?? '' };
const outcome = await createProcessPort({ clock: systemClock }).spawn({ command, directory, environment });
if (!outcome.ok) throw new Error(outcome.refusal.message);
for await (const { bytes } of outcome.process.output) process.stdout.write(bytes);
