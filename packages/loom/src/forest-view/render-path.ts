import { joinParts, messageOf, messagesOf } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import { renderMessageAsMarkdown } from '@loom/blocks';
import { showControls } from '../chat/drawing/column.ts';
import { remarksOnAnswer } from '../chat/drawing/usage-words.ts';
import type { Style } from '../terminal/style.ts';
import { shortName, speakerOf } from './node-line.ts';

/** A path as Markdown for reading: one section per node, headed by who speaks, when, and the node's name. */
export function renderPath(state: RootState, path: readonly NodeState[], style: Style, isScreen: boolean): string {
  const clean = isScreen ? showControls : (text: string) => text;
  const title = state.title === undefined ? [] : [style.strong(clean(`# ${state.title}`))];
  const { systemPrompt } = state.config;
  const prompt = systemPrompt === undefined ? [] : [`${style.strong('## System prompt')}\n\n${clean(systemPrompt)}`];
  const sections = messagesOf(path).map((nodes) => {
    const body = clean(bodyOf(nodes));
    const remarks = nodes
      .flatMap((node) => remarksOf(state, node, node === nodes.at(-1)))
      .map((remark) => style.odd(clean(`*${remark}*`)));
    return [style.strong(headOf(nodes)), body, ...remarks].filter((part) => part !== '').join('\n\n');
  });
  return `${[...title, ...prompt, ...sections].join('\n\n')}\n`;
}

function bodyOf(parts: readonly NodeState[]): string {
  const [head] = parts;
  const message = head && messageOf(head, joinParts(parts));
  return message === undefined ? '' : renderMessageAsMarkdown(message);
}

function headOf(nodes: readonly NodeState[]): string {
  const [first] = nodes;
  if (first === undefined) return '';
  const time = new Date(first.time).toISOString().replace('T', ' ').slice(0, 16);
  return `## ${speakerOf(first)} · ${nodes.map(({ id }) => shortName(id)).join(', ')} · ${time}`;
}

/** Returns remarks on a node beside its text. */
function remarksOf(state: RootState, node: NodeState, isEnd: boolean): string[] {
  const bookmark = state.bookmarks.get(node.id);
  const errors = node.blocks.flatMap(({ error }) => (error === undefined ? [] : [error.code]));
  const isOpen = node.tool === undefined && node.blocks.some(({ status }) => status === 'running');
  return [
    ...(bookmark === undefined ? [] : [`Bookmark ${bookmark}`.trimEnd()]),
    ...(node.tool === undefined || node.tool === 'result'
      ? []
      : [`The call is ${node.tool === 'error' ? 'failed' : node.tool}.`]),
    // A node that was incomplete is complete once another continues it.
    ...(node.tool === undefined && isEnd ? [...new Set(errors)].map((code) => `Not complete: ${code}.`) : []),
    ...(isOpen ? ['Still being written.'] : []),
    ...remarksOnAnswer(node),
    ...(node.deleted === true ? ['Deleted.'] : []),
  ];
}
