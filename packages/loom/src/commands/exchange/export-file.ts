import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExportAnswer } from '@loom/kernel';
import { nodeDisk, readIfThere, replaceFile } from '@loom/data-folder/files';
import { LoomError } from '../../command-line/failure.ts';
import { quoteForShell, suggest } from '../../command-line/suggested-command.ts';
import { count } from '../../terminal/progress.ts';

/** Says which secrets are in the file, or were replaced in it. */
export function describeSecrets({ secrets }: Pick<ExportAnswer, 'secrets'>, isReplaced: boolean): string {
  if (secrets.length === 0) return '';
  const total = secrets.reduce((sum, { count: each }) => sum + each, 0);
  const names = secrets.slice(0, 5).map(({ kind, masked }) => `${kind} ${masked}`);
  const more = secrets.length > names.length ? [`${secrets.length - names.length} more`] : [];
  const list = [...names, ...more].join(', ');
  if (isReplaced) return `Replaced ${count(total, 'secret')} by ••••: ${list}\n`;
  return `${count(total, 'secret')} found in it: ${list}. Write it with --replace-secrets before you pass it on.\n`;
}

/** Writes a file as a whole or not at all. Keeps an existing one: another program may have gone on with it. */
export async function writeNew(file: string, bytes: Uint8Array, isSession: boolean): Promise<void> {
  const status = await stat(file).catch(() => undefined);
  if (status !== undefined && !status.isFile()) {
    const advice = status.isDirectory()
      ? `To write into that folder, end its name with a slash: --out ${quoteForShell(`${file}/`)}`
      : 'Name another file with --out, or write to standard output with --out - and pass that on.';
    throw new LoomError('not-a-file', `${file} is not a file`, { advice });
  }
  await nodeDisk.makeDirectory(dirname(file));
  const present = await readIfThere(nodeDisk, file);
  if (present !== undefined && Buffer.compare(present, bytes) === 0) return;
  const written =
    present === undefined &&
    (await replaceFile(nodeDisk, { path: file, content: bytes, expected: undefined, mode: 0o600 })).ok;
  if (written) return;
  throw new LoomError('file-exists', `${file} is there already, and says something else`, {
    advice: isSession
      ? `The session has gone on since. Take it in with ${suggest(`import ${quoteForShell(file)}`)}, and export from its end.`
      : 'Name another file with --out, or move it away.',
  });
}
