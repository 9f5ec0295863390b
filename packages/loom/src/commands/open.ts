import { LoomClient } from '@loom/client';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { findPlace } from '../runtime/sharing/held-folder.ts';
import { clientPorts } from '../runtime/sharing/client-ports.ts';
import { SilenceWatch } from '../runtime/sharing/silence-watch.ts';
import { styleFor } from '../terminal/style.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** `loom open` */
export async function printLink({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const place = await findPlace(dataDir);
  if (place === undefined) {
    throw new LoomError('not-serving', `there is no process that serves ${dataDir}`, {
      advice: `Start one: ${suggest('serve')}`,
    });
  }
  const silence = new SilenceWatch({ dataDir, note: terminal.note });
  const client = new LoomClient({ ...place, ...clientPorts(silence.fetch) });
  const url = await client.issueLink();
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, url })}\n`);
  else {
    terminal.note('This address signs a browser in once, within five minutes:\n');
    terminal.out(`${styleFor(terminal, 'out').strong(url)}\n`);
  }
  return EXIT.ok;
}
