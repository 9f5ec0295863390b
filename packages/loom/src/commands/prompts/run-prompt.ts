import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { quoteForShell, suggest } from '../../command-line/suggested-command.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { chat } from '../chat.ts';
import { bareName, folderOf, readerOf } from './prompt.ts';

/** `loom prompt run`: says what a prompt comes to with its arguments, and has it answered as `loom chat -p` does. */
export async function runPrompt(call: Call): Promise<ExitCode> {
  const { isJson, terminal, options, words } = call;
  const [given = '', ...rest] = words;
  const name = bareName(given);
  const filled = await withReader(readerOf(call), async (loom) =>
    orFail(await loom.call('prompt.fill', { name, arguments: argumentsOf(rest), directory: folderOf(call) })),
  );
  const { text, missing, commands, model } = filled;
  if (options.has('print')) {
    terminal.out(isJson ? `${JSON.stringify({ ok: true, ...filled })}\n` : `${text}\n`);
    return EXIT.ok;
  }
  if (missing.length > 0) {
    const places = missing.join(', ');
    throw new LoomError('missing-argument', `/${name} needs more: nothing was given for ${places}`, {
      advice: `To see the text as it is: ${suggest(`prompt run ${quoteForShell(name)} --print`)}`,
    });
  }
  const note = noteOf(terminal, isJson);
  note(`${styleFor(terminal, 'note').faint(showControls(text))}\n\n`);
  for (const command of commands)
    note(`The file would run ${showControls(command)}. Loom does not: the model sees these words.\n`);
  if (terminal.input.isTTY === true && !isJson && !options.has('yes')) {
    if (/^\s*n/iu.test(await terminal.ask('Send this? [Y/n] '))) return EXIT.failed;
  }
  // Names such as opus in files of other programs are theirs.
  const own = model?.includes('/') === true && !options.has('model') ? [['model', model] as const] : [];
  const { dir: _dir, ...others } = Object.fromEntries(options);
  return chat({
    ...call,
    words: [],
    options: new Map([...Object.entries(others), ...own, ['prompt', text]]),
    repeated: own.length === 0 ? call.repeated : new Map([...call.repeated, ['model', [model ?? '']]]),
  });
}

/** The words as they were typed: those with blanks in them get quotes again. */
function argumentsOf(words: readonly string[]): string {
  return words
    .map((word) => {
      const [, key = '', value = word] = /^([A-Z][A-Z0-9_]*=)(.*)$/su.exec(word) ?? [];
      if (!/\s/u.test(value) && value !== '') return word;
      return value.includes('"') ? `${key}'${value}'` : `${key}"${value}"`;
    })
    .join(' ');
}
