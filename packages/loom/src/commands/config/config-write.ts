import { join } from 'node:path';
import { formatKey, MAIN_FILE, type WriteRefusal, type WriteResult } from '../../config/index.ts';
import { LoomError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** Reports a refused change of the configuration. */
export function writeFailure(key: string, dataDir: string, refusal: WriteRefusal): LoomError {
  const file = join(dataDir, MAIN_FILE);
  const fail = (message: string, advice: string): LoomError =>
    new LoomError(refusal.reason, message, { advice, details: { file, key } });
  switch (refusal.reason) {
    case 'changed-since':
      return fail(`${file} was changed by another program meanwhile`, 'Try again; nothing was changed.');
    case 'invalid-value':
      return fail(refusal.message, 'Nothing was changed.');
    case 'is-table':
      return fail(`${key} is a table in ${file}`, `Remove it first: ${suggest(`config unset ${key}`)}`);
    case 'not-a-table':
      return fail(
        `${formatKey(refusal.at.map(String))} in ${file} is a value, so nothing can be set below it`,
        `Remove it first: ${suggest(`config unset ${formatKey(refusal.at.map(String))}`)}`,
      );
    case 'not-editable':
      return fail(
        `${key} cannot be changed in ${file} without touching something else`,
        `Change it in an editor: ${suggest('config edit')}. Nothing was changed.`,
      );
  }
}

/** Returns a note if a file with keys was open to others. */
export function tightened(result: WriteResult & { ok: true }): string[] {
  if (result.tightenedFrom === undefined) return [];
  const mode = result.tightenedFrom.toString(8).padStart(4, '0');
  return [`${result.file} holds keys and other users could read it (mode ${mode}); now only you can.`];
}
