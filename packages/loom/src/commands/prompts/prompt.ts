import type { ResultOf } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import { readFolder } from '../../chat/folder-choice.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { textOption } from '../../chat/answerer.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withReader, type LoomOptions } from '../../runtime/opened-folder.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { styleFor } from '../../terminal/style.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { orFail } from '../../words/refusal-error.ts';

type Listed = ResultOf<'prompt.list'>['items'][number];

/** `loom prompt list` */
export function listPrompts(call: Call): Promise<ExitCode> {
  const { isJson, terminal } = call;
  const directory = folderOf(call);
  return withReader(readerOf(call), async (loom) => {
    const { items, skipped } = orFail(await loom.call('prompt.list', { directory }));
    if (isJson) {
      for (const item of items) terminal.out(`${JSON.stringify(item)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    const heads = items.map(({ name, argument_hint: hint = '' }) => showControls(`/${name} ${hint}`.trimEnd()));
    const wide = Math.min(36, Math.max(0, ...heads.map((head) => head.length)));
    for (const [index, item] of items.entries()) {
      const about = showControls(item.description).slice(0, 100);
      const where = sourceWords(item, terminal.env) + (item.hidden === true ? ', hidden by the one above' : '');
      terminal.out(`${style.strong((heads[index] ?? '').padEnd(wide))}  ${about}  ${style.faint(where)}\n`);
    }
    const note = noteOf(terminal, isJson);
    for (const { path, reason } of skipped)
      note(`Left out ${friendly(path, terminal.env)}: ${skipWords[reason] ?? reason}.\n`);
    if (items.length === 0) note(`There are no prompts yet. To keep one: ${suggest('prompt save <name> <text>')}\n`);
    return EXIT.ok;
  });
}

/** `loom prompt show` */
export function showPrompt(call: Call): Promise<ExitCode> {
  const { isJson, terminal, words } = call;
  const directory = folderOf(call);
  const [name = ''] = words;
  return withReader(readerOf(call), async (loom) => {
    const prompt = orFail(await loom.call('prompt.get', { name: bareName(name), directory }));
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, ...prompt })}\n`);
      return EXIT.ok;
    }
    const note = noteOf(terminal, isJson);
    const { argument_hint: hint, model, allowed_tools: tools } = prompt;
    note(
      `/${prompt.name}${hint === undefined ? '' : ` ${showControls(hint)}`}, ${sourceWords(prompt, terminal.env)}\n`,
    );
    if (model !== undefined) note(`Meant for the model ${showControls(model)}.\n`);
    if (tools !== undefined) note(`Its file asks to allow ${showControls(tools)}; Loom does not grant that.\n`);
    terminal.out(`${prompt.text}\n`);
    return EXIT.ok;
  });
}

/** The options for a library that is only read, with the commands of the home folder that the environment names. */
export function readerOf({ dataDir, isJson, terminal }: Call): LoomOptions {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return { dataDir, models, note: noteOf(terminal, isJson) };
}

/** People write names as they type them. */
export function bareName(name: string): string {
  return name.replace(/^\//u, '');
}

/** The folder that --dir names, or the present one. */
export function folderOf({ options }: Call): string {
  return readFolder(textOption(options, 'dir') ?? '.');
}

function sourceWords({ source, path }: Pick<Listed, 'source' | 'path'>, env: Terminal['env']): string {
  if (path !== undefined) return friendly(path, env);
  return source === 'own' ? 'yours' : "the project's";
}

function friendly(path: string, env: Terminal['env']): string {
  const home = env['HOME'] ?? '';
  return showControls(home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

const skipWords: Readonly<Record<string, string>> = {
  link: 'it is a link, and links are not followed',
  'too-large': 'it is too large',
  'not-text': 'it is not UTF-8 text',
  empty: 'it has no text',
  'bad-name': 'its name cannot be typed behind a slash',
  'too-many': 'there are too many files',
  unreadable: 'it cannot be read',
};
