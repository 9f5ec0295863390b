import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editableText } from '@loom/blocks';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { chooseEditor, editorFailure, runEditor } from '../../terminal/editor.ts';
import { readValue } from '../../terminal/value-input.ts';
import { putText } from '../../texts/merged-text.ts';
import { followSaves } from '../../texts/saved-file.ts';
import { findText } from '../../texts/text-place.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom draft list <conversation>` */
export function listDrafts({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root } = await findPlace(loom, words[0] ?? '');
    const { drafts } = orFail(await loom.call('draft.list', { root }));
    if (isJson) terminal.out(drafts.map((draft) => `${JSON.stringify(draft)}\n`).join(''));
    else if (drafts.length === 0) terminal.out(`There are no drafts. To begin one: ${suggest(`draft new ${root}`)}\n`);
    else {
      for (const { block_id: block = '', title, opening, version } of drafts) {
        const name = block.slice(block.indexOf('/') + 1);
        terminal.out(`${name}  version ${version}  ${title ?? opening.split('\n')[0] ?? ''}\n`);
      }
    }
    return EXIT.ok;
  });
}

/** `loom draft new <conversation> [text…]` */
export async function beginDraft({ words, options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const [conversation = '', ...rest] = words;
  const text = rest.length === 1 && rest[0] === '-' ? await readValue(terminal, 'The text', false) : rest.join(' ');
  const title = options.get('title');
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root } = await findPlace(loom, conversation);
    const named = typeof title === 'string' ? { title } : {};
    const { node, block_id: block } = orFail(await loom.call('draft.create', { root, text, ...named }));
    const name = block.slice(block.indexOf('/') + 1);
    terminal.out(
      isJson
        ? `${JSON.stringify({ ok: true, root, node, block_id: block })}\n`
        : `Began the draft ${name}. To write it: ${suggest(`draft edit ${name}`)}\n`,
    );
    return EXIT.ok;
  });
}

/**
 * `loom draft edit <draft>`: opens a text in the user's editor. Each save is merged into what others have made of the text by then, and so is
 * the text at the end; the file in the editor stays as its user has it.
 */
export async function editDraft({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  if (isJson) throw new UsageError('bad-option', 'loom draft edit has no JSON output; loom patch has');
  const editor = chooseEditor(terminal, 'Name one, such as EDITOR=nano loom draft edit.');
  return withPresentData({ dataDir, store }, async (loom) => {
    const { id, name, block } = await findText(loom, words[0] ?? '');
    const begun = editableText(block);
    if (begun === undefined) throw new LoomError('not-text', `${name} is not a text`, {});
    const folder = await mkdtemp(join(tmpdir(), 'loom-draft-'));
    const file = join(folder, 'draft.md');
    await writeFile(file, begun, { mode: 0o600 });
    let [base, version, isKept] = [begun, block.version ?? 1, false];
    const merge = async (saved: string): Promise<void> => {
      // Editors end files with a line break that was not meant.
      const edited = begun.endsWith('\n') ? saved : saved.replace(/\n$/u, '');
      if (edited === base) return;
      const put = await putText(loom, id, { base, edited });
      base = edited;
      version = put.version ?? version;
    };
    try {
      const stop = followSaves(file, begun, merge);
      const code = await editorEnd(runEditor(editor, file, terminal), stop);
      if (code !== 0) throw editorFailure(editor, code, 'What was saved before is merged.');
      await merge(await readFile(file, 'utf8'));
    } catch (error) {
      isKept = (await readFile(file, 'utf8').catch(() => base)) !== base;
      if (isKept) terminal.note(`What was not merged is kept in ${file}\n`);
      throw error;
    } finally {
      if (!isKept) await rm(folder, { recursive: true, force: true });
    }
    terminal.out(base === begun ? 'Nothing was changed.\n' : `Changed ${name}; it has version ${version} now.\n`);
    return EXIT.ok;
  });
}

/** Returns how an editor ended, once its last save is merged. */
async function editorEnd(running: Promise<number | null>, stop: () => Promise<void>): Promise<number | null> {
  try {
    return await running;
  } finally {
    await stop();
  }
}

/** `loom draft rm <draft>` */
export function removeDraft({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root, name, node } = await findText(loom, words[0] ?? '');
    orFail(await loom.call('draft.remove', { node: node.id }));
    const report = { ok: true, root, node: node.id };
    terminal.out(isJson ? `${JSON.stringify(report)}\n` : `Removed ${name}. To bring it back: ${suggest(`undo`)}\n`);
    return EXIT.ok;
  });
}
