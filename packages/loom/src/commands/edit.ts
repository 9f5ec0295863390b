import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderBlockAsText } from '@loom/blocks';
import type { EditNodeValue, NodeState, RootState } from '@loom/kernel';
import type { Call } from '../command.ts';
import { chooseEditor, editorFailure, runEditor } from '../editor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LoomError, UsageError } from '../failure.ts';
import { shortName } from '../forest-view/node-line.ts';
import { priceOfEdit } from '../forest-view/price.ts';
import { findPlace, nameInCommands } from '../runtime/named-place.ts';
import { withReader, type Loom } from '../runtime/open-loom.ts';
import { withPresentData } from '../runtime/present-data.ts';
import { orFail } from '../runtime/refusal-error.ts';
import type { Terminal } from '../terminal.ts';
import { readValue } from '../value-input.ts';

/** `loom edit <node> [text…]` */
export async function editNode(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const text = await findText(call);
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root, node: id } = await findPlace(loom, words[0] ?? '');
    const state = await loom.open(root);
    const node = state.nodes.get(id);
    if (node === undefined) {
      throw new LoomError('node-not-found', 'a whole conversation has no text to edit', {
        advice: `Name a node of it: loom tree ${root}`,
      });
    }
    const isInPlace = options.has('in-place');
    const price = priceOfEdit(state, node, text, isInPlace, loom);
    if (price !== undefined && !isJson) terminal.note(`${price}\n`);
    if (price !== undefined && !options.has('yes') && !(await agrees(terminal))) {
      terminal.note('Nothing was changed.\n');
      return EXIT.failed;
    }
    const value = isInPlace ? await editInPlace(loom, root, node, text) : await branch(loom, root, id, text);
    if (isJson)
      terminal.out(`${JSON.stringify({ ok: true, root, ...value, ...(price === undefined ? {} : { price }) })}\n`);
    else terminal.out(`${describe(value, await nameInCommands(loom, value.node))}\n`);
    return EXIT.ok;
  });
}

async function branch(loom: Loom, root: string, node: string, content: string): Promise<EditNodeValue> {
  return orFail(await loom.engine.forest.editNode(loom.request(), root, { node, content }));
}

async function editInPlace(loom: Loom, root: string, node: NodeState, text: string): Promise<EditNodeValue> {
  const [block, ...others] = node.blocks.filter(({ type }) => type === 'text');
  if (block?.block_id === undefined || others.length > 0) {
    throw new LoomError('not-text', `${shortName(node.id)} does not consist of one text`, {
      advice: 'Edit it without --in-place.',
    });
  }
  orFail(await loom.engine.forest.editBlock(loom.request(), root, { block: block.block_id, text }));
  return { node: node.id, how: 'in-place' };
}

/** `command` names the node in commands that are suggested. */
function describe({ node, how }: EditNodeValue, command: string): string {
  const name = shortName(node);
  switch (how) {
    case 'unchanged':
      return `${name} says that already.`;
    case 'in-place':
      return `Changed ${name} in place; loom show ${command} shows it.`;
    case 'extension':
      return `Added ${name}, which goes on from the old text. What followed the old text is where it was.`;
    case 'truncation':
      return `Cut the text: ${name} ends where the new text does, and the rest follows it.`;
    case 'divergence':
    case 'sibling':
      return `Made ${name}, a branch beside the old text. To go on there: loom chat --node ${command}`;
  }
}

async function agrees({ input, ask }: Terminal): Promise<boolean> {
  // A person who cannot be asked has been told.
  if (input.isTTY !== true) return true;
  return !/^\s*n/i.test(await ask('Go on? [Y/n] '));
}

/** The new text: from the command line, from standard input, or from the user's editor. */
async function findText(call: Call): Promise<string> {
  const { words, terminal, isJson } = call;
  const [, ...rest] = words;
  if (rest.length === 1 && rest[0] === '-') return readValue(terminal, 'The new text', false);
  if (rest.length > 0) return rest.join(' ');
  if (terminal.input.isTTY !== true || isJson) {
    throw new UsageError('missing-argument', 'loom edit needs the new text, or - to read it from standard input');
  }
  return editInEditor(call);
}

async function editInEditor({ words, dataDir, terminal }: Call): Promise<string> {
  const editor = chooseEditor(
    terminal,
    'Name one, such as EDITOR=nano loom edit, or give the text on the command line.',
  );
  const present = await withReader({ dataDir }, async (loom) => {
    const { root, node } = await findPlace(loom, words[0] ?? '');
    return textOf(await loom.open(root), node);
  });
  const folder = await mkdtemp(join(tmpdir(), 'loom-edit-'));
  try {
    const draft = join(folder, 'message.md');
    await writeFile(draft, present, { mode: 0o600 });
    const code = await runEditor(editor, draft, terminal);
    if (code !== 0) throw editorFailure(editor, code);
    const text = await readFile(draft, 'utf8');
    // Editors end files with a line break that was not meant.
    return present.endsWith('\n') ? text : text.replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function textOf(state: RootState, node: string): string {
  return (state.nodes.get(node)?.blocks ?? [])
    .filter(({ type }) => type === 'text')
    .map(renderBlockAsText)
    .join('\n\n');
}
