import { isPurged, purgedWords, renderBlockAsText } from '@loom/blocks';
import { deriveTitle, isOfProgram, noticeOf, joinParts, lastPart, openingNode, partsUpTo } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import type { Style } from '../terminal/style.ts';

/** A message in one line: the name of the node with which it ends, who speaks, and how it begins. */
export function messageLine(state: RootState, parts: readonly NodeState[], style: Style, width: number): string {
  const node = wholeOf(parts);
  const name = shortName(node.id);
  const who = speakerOf(node);
  const marks = [...new Set(parts.flatMap((part) => marksOf(state, part)))];
  const room = Math.max(16, width - name.length - who.length - marks.join(' ').length - 4);
  const words = shorten(beginningOf(node), room);
  const speaker = node.role === 'user' ? style.strong(who) : node.role === 'tool' ? style.faint(who) : who;
  const said = node.role === 'tool' ? style.faint(words) : words;
  return [style.faint(name), speaker, said, ...marks.map((mark) => style.odd(mark))].filter(Boolean).join('  ');
}

/** A message that was cut, as the node with which it ends would have it. */
function wholeOf(parts: readonly NodeState[]): NodeState {
  const [node] = parts.slice(-1);
  if (node === undefined) throw new RangeError('a message has at least one part');
  const title = parts.find((part) => part.title !== undefined)?.title;
  return { ...node, blocks: joinParts(parts), ...(title === undefined ? {} : { title }) };
}

/** The part of a node's id behind its root. */
export function shortName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** The author of a node, as people call them. */
export function speakerOf(node: NodeState): string {
  const { role, source } = node;
  if (isOfProgram(node) || noticeOf(node) !== undefined) return showControls(node.origin?.source ?? 'program');
  if (role === 'user') return 'you';
  if (source.type === 'tool_result') return source.tool_name === '' ? 'tool' : source.tool_name;
  if (source.type !== 'model') return role;
  const { provider, model_name: model } = source;
  return showControls(model === provider || model === '' ? provider || role : `${provider}:${model}`);
}

/** The title of a root, or else one made of the first words that were said in it. */
export function titleOf(state: RootState): string {
  const first = openingNode(state);
  if (state.title !== undefined || first === undefined) return state.title ?? '';
  return deriveTitle(beginningOf(wholeOf(partsUpTo(state, lastPart(state, first)))));
}

/** Returns the first words of a node; calls are named. */
function beginningOf(node: NodeState): string {
  if (node.title !== undefined) return showControls(node.title);
  const notice = noticeOf(node);
  if (notice !== undefined) return showControls(notice);
  const text = node.blocks.find((block) => block.type === 'text' && block.text.trim() !== '');
  const calls = node.blocks.flatMap((block) => (block.type === 'tool-use' ? [`● ${block.name}`] : []));
  const shown = text ?? node.blocks.find((block) => block.type !== 'tool-use');
  const words = shown === undefined ? '' : isPurged(shown) ? purgedWords : renderBlockAsText(shown).slice(0, 400);
  return showControls([words, ...calls].filter(Boolean).join(' '));
}

function marksOf(state: RootState, node: NodeState): string[] {
  const bookmark = state.bookmarks.get(node.id);
  // A provider's report says more than that the text before it is incomplete.
  const reported = node.blocks.find((block) => block.type === 'error');
  const error = reported?.code ?? node.blocks.find((block) => block.status === 'error')?.error?.code;
  const isRunning = node.blocks.some((block) => block.status === 'running') || node.tool === 'running';
  return [
    ...(bookmark === undefined ? [] : [`★ ${showControls(bookmark)}`.trimEnd()]),
    ...(error === undefined || node.tool !== undefined ? [] : [`(${error})`]),
    ...(node.tool === undefined || node.tool === 'result' ? [] : [`(${node.tool})`]),
    ...(isRunning && node.tool === undefined ? ['(running)'] : []),
    ...(node.deleted === true ? ['(deleted)'] : []),
  ];
}
