import { renderBlockAsMarkdown } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { anchorOf, branchSections } from './branch-sections.ts';
import type { BranchSection } from './branch-sections.ts';
import { closingFence } from './open-fence.ts';
import { blocksForPeople, speakerOf } from './shown-blocks.ts';
import { timeOf } from './source.ts';
import type { ExportRange, ExportSource } from './source.ts';

/**
 * Writes a conversation as Markdown for people. Branches follow one after the other as sections, with links from where they begin. Images and other
 * files are named, as `blobs/<hash>`, and not part of it.
 */
export function* markdownExport(source: ExportSource, range: ExportRange = {}): Generator<string> {
  const { root } = source;
  yield `# ${oneLine(root.title ?? 'Conversation')}\n\n`;
  yield `*Conversation \`${root.id}\`, begun ${new Date(root.created).toISOString()}*\n`;
  const prompt = root.config.systemPrompt;
  if (prompt !== undefined && prompt !== '') yield `\n## System prompt\n\n${closed(prompt)}\n`;
  const isTree = range.node === undefined;
  for (const section of branchSections(source, range)) {
    if (section.fork !== undefined) yield forkHeading(section);
    for (const node of section.nodes) yield message(source, node, isTree);
    if (section.next.length > 1) yield `\n*${section.next.length} branches go on here:* ${links(section.next)}\n`;
  }
}

function forkHeading({ fork, nodes: [first] }: BranchSection): string {
  if (fork === undefined || first === undefined) return '';
  const above = fork.above === undefined ? '' : ` behind [${anchorOf(fork.above)}](#${anchorOf(fork.above)})`;
  return `\n---\n\n## Branch ${fork.number} of ${fork.of}${above}\n`;
}

function links(branches: readonly NodeState[]): string {
  return branches.map((node) => `[${anchorOf(node)}](#${anchorOf(node)})`).join(', ');
}

function message(source: ExportSource, node: NodeState, isTree: boolean): string {
  const bookmark = source.bookmark(node.id);
  const marks = [
    ...(node.title === undefined ? [] : [oneLine(node.title)]),
    ...(bookmark === undefined ? [] : [`★ ${oneLine(bookmark)}`]),
    ...(node.tags ?? []).map((tag) => `#${oneLine(tag)}`),
  ];
  const anchor = isTree ? `<a id="${anchorOf(node)}"></a>\n\n` : '';
  const start = node.context_start === true ? '\n*The context of models begins here.*\n' : '';
  const head = `${start}\n${anchor}### ${heading(node)}\n\n*${[timeOf(node), ...marks].join(' · ')}*\n`;
  const body = blocksForPeople(node)
    .map(block)
    .filter((text) => text !== '');
  return `${head}${body.map((text) => `\n${text}\n`).join('')}`;
}

function heading(node: NodeState): string {
  const speaker = escapeText(oneLine(speakerOf(node)));
  if (node.role !== 'tool') return speaker;
  const state = node.tool === undefined || node.tool === 'result' ? '' : ` (${node.tool})`;
  return `Result of ${speaker}${state}`;
}

function block(block: MessageBlock): string {
  if (block.type !== 'image' || block.blob === undefined) return closed(renderBlockAsMarkdown(block));
  const label = escapeText(oneLine(block.filename ?? block.media_type));
  const link = `[${label}](blobs/${block.blob.replace('sha256:', '')})`;
  return block.media_type.startsWith('image/') ? `!${link}` : link;
}

function closed(text: string): string {
  return `${text}${closingFence(text)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>!#]/g, (character) => `\\${character}`);
}
