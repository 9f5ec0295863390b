import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParamsOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { quoteForShell, suggest } from '../../command-line/suggested-command.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { chooseEditor, editorFailure, runEditor } from '../../terminal/editor.ts';
import { readValue } from '../../terminal/value-input.ts';
import { orFail } from '../../words/refusal-error.ts';
import { bareName, folderOf } from './prompt.ts';

/** `loom prompt save` */
export function savePrompt(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal, words, options } = call;
  const name = bareName(words[0] ?? '');
  return withLoom({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const project = await projectFor(loom, call);
    const present = await loom.call('prompt.get', {
      name,
      source: project === undefined ? 'own' : 'project',
      directory: folderOf(call),
    });
    if (!present.ok && present.refusal.reason !== 'prompt-not-found') orFail(present);
    const old = present.ok ? present.value : undefined;
    const text = await textFor(call, old?.text ?? '');
    const kept = {
      ...field('description', textOption(options, 'description') ?? keptDescription(old)),
      ...field('argument_hint', textOption(options, 'hint') ?? old?.argument_hint),
      ...field('model', textOption(options, 'model') ?? old?.model),
    };
    const params: ParamsOf<'prompt.set'> = { name, text, ...kept, ...(project === undefined ? {} : { project }) };
    const { changed, before } = orFail(await loom.call('prompt.set', params));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, changed, ...(before === undefined ? {} : { before }) })}\n`);
    else if (!changed) terminal.out(`/${name} says that already.\n`);
    else {
      const how = before === undefined ? 'Saved' : 'Changed';
      terminal.out(`${how} /${name}. To use it: ${suggest(`prompt run ${quoteForShell(name)}`)}\n`);
    }
    return EXIT.ok;
  });
}

/** `loom prompt remove` */
export function removePrompt(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal, words } = call;
  const name = bareName(words[0] ?? '');
  return withLoom({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const project = await projectFor(loom, call);
    const { before } = orFail(
      await loom.call('prompt.remove', { name, ...(project === undefined ? {} : { project }) }),
    );
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, before })}\n`);
    else {
      terminal.note(`Removed /${name}. It said:\n`);
      terminal.out(`${before?.text ?? ''}\n`);
    }
    return EXIT.ok;
  });
}

/** The description of a kept prompt; a line that was taken from its text is none. */
function keptDescription(old: { description: string; text: string } | undefined): string | undefined {
  return old === undefined || old.text.includes(old.description) ? undefined : old.description;
}

function field<Key extends string>(key: Key, value: string | undefined): { [Name in Key]?: string } {
  const fields: { [Name in Key]?: string } = {};
  if (value !== undefined && value !== '') fields[key] = value;
  return fields;
}

/** The project of the folder, with --project. */
async function projectFor(loom: Loom, call: Call): Promise<string | undefined> {
  if (!call.options.has('project')) return undefined;
  const { project } = orFail(await loom.call('prompt.list', { directory: folderOf(call) }));
  if (project !== undefined) return project;
  throw new UsageError('bad-option', 'this folder belongs to no project');
}

async function textFor(call: Call, present: string): Promise<string> {
  const { words, terminal, isJson, options } = call;
  const [, ...rest] = words;
  if (rest.length === 1 && rest[0] === '-') return readValue(terminal, 'The prompt', false);
  if (rest.length > 0) return rest.join(' ');
  // Only what is said about it changes.
  if (present !== '' && ['description', 'hint', 'model'].some((name) => options.has(name))) return present;
  if (terminal.input.isTTY !== true || isJson)
    throw new UsageError('missing-argument', 'loom prompt save needs the text, or - to read it from standard input');
  const editor = chooseEditor(terminal, 'Name one, such as EDITOR=nano loom prompt save, or give the text.');
  const folder = await mkdtemp(join(tmpdir(), 'loom-prompt-'));
  try {
    const draft = join(folder, 'prompt.md');
    await writeFile(draft, present, { mode: 0o600 });
    const code = await runEditor(editor, draft, terminal);
    if (code !== 0) throw editorFailure(editor, code);
    return (await readFile(draft, 'utf8')).replace(/\n$/u, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
