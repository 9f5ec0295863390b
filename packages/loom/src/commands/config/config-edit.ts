import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../command-line/command.ts';
import { ConfigError, MAIN_FILE, readConfigText, replaceConfigText, type ConfigFileText } from '../../config/index.ts';
import { chooseEditor, editorFailure, runEditor } from '../../terminal/editor.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { InterruptedError, LoomError, UsageError } from '../../command-line/failure.ts';
import { nodeDisk } from '@loom/data-folder/files';
import { printFailure } from '../../command-line/print-failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { friendlyPath } from './config-view.ts';
import { tightened, writeFailure } from './config-write.ts';

/** `loom config edit` */
export async function editSettings(call: Call): Promise<ExitCode> {
  const { dataDir, isJson, terminal } = call;
  if (isJson) throw new UsageError('bad-option', 'loom config edit has no JSON output');
  const editor = chooseEditor(
    terminal,
    `Name one, such as EDITOR=nano loom config edit, or open ${join(dataDir, MAIN_FILE)} yourself.`,
  );
  const present = await readConfigText(nodeDisk, join(dataDir, MAIN_FILE));
  const begun = present?.text ?? '# Settings of Loom. All of them: loom help config\n';
  const draft = await makeDraft(dataDir, begun);
  for (;;) {
    const code = await runEditor(editor, draft, terminal);
    const text = await readFile(draft, 'utf8');
    if (text === begun) await rm(draft);
    if (code !== 0) {
      const kept = text === begun ? '' : `; your text is kept in ${draft}`;
      throw editorFailure(editor, code, `config.toml is unchanged${kept}.`);
    }
    if (text === begun) {
      terminal.out('Nothing was changed.\n');
      return EXIT.ok;
    }
    const failure = await adopt(dataDir, present, text, terminal);
    if (failure === undefined) {
      await rm(draft);
      return EXIT.ok;
    }
    printFailure(failure, terminal, false);
    if (!(await wantsToGoOn(terminal))) {
      throw new LoomError('not-adopted', 'config.toml is unchanged', { advice: `Your text is kept in ${draft}` });
    }
  }
}

/** Puts the draft in place, or says why not. */
async function adopt(
  dataDir: string,
  present: ConfigFileText | undefined,
  text: string,
  terminal: Terminal,
): Promise<LoomError | undefined> {
  try {
    const result = await replaceConfigText({ dataDir }, present, text);
    if (!result.ok) return writeFailure(MAIN_FILE, dataDir, result.refusal);
    for (const note of tightened(result)) terminal.note(`${note}\n`);
    terminal.out(`Saved ${friendlyPath(result.file, terminal)}.\n`);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** A copy beside the file, so that a half-written configuration is never in effect. Its name is not that of a layer. */
async function makeDraft(dataDir: string, text: string): Promise<string> {
  await nodeDisk.makeDirectory(dataDir);
  const draft = join(dataDir, `config-draft-${randomBytes(4).toString('hex')}.toml`);
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
  return draft;
}

async function wantsToGoOn({ input, ask }: Terminal): Promise<boolean> {
  if (input.isTTY !== true) return false;
  try {
    return !/^\s*n/i.test(await ask('Go on editing? [Y/n] '));
  } catch (error) {
    // The text is kept, which has to be said.
    if (error instanceof InterruptedError) return false;
    throw error;
  }
}
