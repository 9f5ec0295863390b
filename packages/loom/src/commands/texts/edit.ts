import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderBlockAsText } from '@loom/blocks';
import { joinParts, lastPart, partsUpTo } from '@loom/kernel';
import type { NodeState, ParamsOf, ResultOf, RootState } from '@loom/kernel';
import { chooseAnswerer, type Answerer } from '../../chat/answerer.ts';
import { Conversation } from '../../chat/conversation.ts';
import { retryOnce } from '../../chat/one-shot.ts';
import type { Call } from '../../command-line/command.ts';
import { chooseEditor, editorFailure, runEditor } from '../../terminal/editor.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { shortName } from '../../forest-view/node-line.ts';
import { priceOfEdit } from '../../models/edit-cost.ts';
import { findPlace, nameInCommands } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readValue } from '../../terminal/value-input.ts';

type EditMode = NonNullable<ParamsOf<'node.edit'>['mode']>;
type Edited = ResultOf<'node.edit'>;

/** `loom edit <node> [text…]` */
export async function editNode(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const mode = modeOf(options);
  const answerer = options.has('run') ? await chooseAnswerer(call) : undefined;
  const text = await findText(call);
  return withPresentData({ dataDir, store, ...(answerer && { models: answerer.models }) }, async (loom) => {
    const { root, node: id } = await findPlace(loom, words[0] ?? '');
    const state = await loom.open(root);
    const node = messageToEdit(state, id, mode);
    if (node === undefined) {
      throw new LoomError('node-not-found', 'a whole conversation has no text to edit', {
        advice: `Name a node of it: ${suggest(`tree ${root}`)}`,
      });
    }
    if (answerer !== undefined && node.role !== 'user') {
      throw new LoomError(
        'not-a-user-message',
        `${shortName(node.id)} is not a message of yours, so nothing answers it`,
        {
          advice: 'Edit it without --run.',
        },
      );
    }
    const price = priceOfEdit(state, node, text, mode, loom);
    if (price !== undefined && !isJson) terminal.note(`${price}\n`);
    if (price !== undefined && !options.has('yes') && !(await agrees(terminal))) {
      terminal.note('Nothing was changed.\n');
      return EXIT.failed;
    }
    const params = { node: node.id, content: text, ...(mode === undefined ? {} : { mode }) };
    const value = orFail(await loom.call('node.edit', params));
    const report = { ok: true, root, ...value, ...(price === undefined ? {} : { price }) };
    if (answerer !== undefined) return runEdited(call, loom, answerer, report);
    const command = await nameInCommands(loom, value.node);
    terminal.out(isJson ? `${JSON.stringify(report)}\n` : `${describe(value, command)}\n`);
    return EXIT.ok;
  });
}

function modeOf(options: Call['options']): EditMode | undefined {
  if (options.has('in-place') && options.has('split')) {
    throw new UsageError('bad-option', '--in-place and --split are two ways to edit; give one of them');
  }
  if (options.has('in-place')) return 'in-place';
  return options.has('split') ? 'split' : undefined;
}

/** Any part of a message that was cut stands for the whole of it, unless a single node is to be changed or cut itself. */
function messageToEdit(state: RootState, id: string, mode: EditMode | undefined): NodeState | undefined {
  const node = state.nodes.get(id);
  return node === undefined || mode !== undefined ? node : lastPart(state, node);
}

interface EditReport extends Edited {
  root: string;
}

/** Has the edited message answered, and prints the answer as `loom chat -p` does; with --json the node where it ended. */
async function runEdited(call: Call, loom: Loom, answerer: Answerer, report: EditReport): Promise<ExitCode> {
  const { isJson, terminal, options } = call;
  const { root, node: place } = report;
  const conversation = new Conversation(loom, { ...answerer, at: { root, place } });
  await conversation.open();
  try {
    const code = await retryOnce(conversation, { terminal, isJson, isApproving: options.has('yes') });
    if (isJson) terminal.out(`${JSON.stringify({ ...report, answer: conversation.place })}\n`);
    return code;
  } finally {
    conversation.close();
  }
}

/** `name` names the node in commands that are suggested. */
function describe({ node, how }: Edited, name: string): string {
  const short = shortName(node);
  switch (how) {
    case 'unchanged':
      return `${short} says that already.`;
    case 'in-place':
      return `Changed ${short} in place. To see it: ${suggest(`show ${name}`)}`;
    case 'extension':
      return `Added ${short}, which goes on from the old text. What followed the old text is where it was.`;
    case 'truncation':
      return `Cut the text: ${short} ends where the new text does, and the rest follows it.`;
    case 'divergence':
    case 'sibling':
      return `Made ${short} beside the old message, which stays. To go on there: ${suggest(`chat --node ${name}`)}`;
  }
}

async function agrees({ input, ask }: Terminal): Promise<boolean> {
  // A person who cannot be asked has seen the note.
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

async function editInEditor({ words, options, dataDir, terminal }: Call): Promise<string> {
  const editor = chooseEditor(
    terminal,
    'Name one, such as EDITOR=nano loom edit, or give the text on the command line.',
  );
  const present = await withReader({ dataDir }, async (loom) => {
    const { root, node } = await findPlace(loom, words[0] ?? '');
    return textOf(await loom.open(root), node, modeOf(options));
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

function textOf(state: RootState, id: string, mode: EditMode | undefined): string {
  const node = messageToEdit(state, id, mode);
  if (node === undefined) return '';
  const blocks = mode === undefined ? joinParts(partsUpTo(state, node)) : node.blocks;
  return blocks
    .filter(({ type }) => type === 'text')
    .map(renderBlockAsText)
    .join('\n\n');
}
