import { join, resolve } from 'node:path';
import { exportFormats } from '@loom/kernel';
import type { ExportAnswer, ExportFormat } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { quoteForShell } from '../../command-line/suggested-command.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { findPlaceToShow } from '../../runtime/named-place.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { describeBytes } from '../../terminal/progress.ts';
import { textOption } from '../../texts/number-option.ts';
import { orFail } from '../../words/refusal-error.ts';
import { friendlyPath } from '../config/config-view.ts';
import { describeSecrets, writeNew } from './export-file.ts';
import { exportMany, isForMany } from './export-many.ts';

/** `loom export <node>` */
export function exportConversation(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const format = readFormat(textOption(options, 'format') ?? 'markdown');
  const out = textOption(options, 'out');
  const directory = textOption(options, 'directory');
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    if (isForMany(call)) return exportMany(loom, format, call);
    const { node: place } = await findPlaceToShow(loom, words[0] ?? '', noteOf(terminal, isJson));
    const order = { place, format, whole: options.has('tree'), replace_secrets: options.has('replace-secrets') };
    const answer = orFail(
      await loom.call('export.create', directory === undefined ? order : { ...order, directory: resolve(directory) }),
    );
    const bytes = await loom.getBlob(answer.blob);
    if (bytes === undefined) throw new LoomError('export-lost', 'what was written is gone', { advice: 'Try again.' });
    const file = out === '-' ? undefined : placeOf(answer, out, call);
    if (file !== undefined) await writeNew(file, bytes, answer.session !== undefined);
    if (isJson) {
      terminal.out(`${JSON.stringify({ ...answer, ...(file === undefined ? {} : { file }) })}\n`);
      return EXIT.ok;
    }
    if (file === undefined) terminal.out(new TextDecoder().decode(bytes));
    else terminal.note(`Wrote ${describeBytes(answer.bytes)} to ${friendlyPath(file, terminal)}.\n`);
    for (const note of answer.notes) terminal.note(`${note}\n`);
    terminal.note(describeSecrets(answer, order.replace_secrets));
    if (answer.session !== undefined) {
      const line = answer.session.command.map(quoteForShell).join(' ');
      terminal.note(`Go on there with: ${line}\n`);
    }
    return EXIT.ok;
  });
}

function readFormat(name: string): ExportFormat {
  const known = { md: 'markdown', 'loom-jsonl': 'jsonl' }[name] ?? name;
  const format = exportFormats.find((candidate) => candidate === known);
  if (format !== undefined) return format;
  throw new UsageError('bad-option', `--format ${name} is not known`, {
    advice: `It is one of ${exportFormats.join(', ')}.`,
  });
}

/** Returns the destination of the file: the path the person names, for a session the folder in which its program looks, else standard output. */
function placeOf({ session, name }: ExportAnswer, out: string | undefined, { terminal }: Call): string | undefined {
  if (out !== undefined) return resolve(out.endsWith('/') ? join(out, name) : out);
  if (session === undefined) return undefined;
  const { env } = terminal;
  const [program] = session.command;
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  const own =
    program === 'codex' ? env['CODEX_HOME'] || join(home, '.codex') : env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');
  return join(own, session.path);
}
