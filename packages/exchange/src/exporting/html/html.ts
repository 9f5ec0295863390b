import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { anchorOf, branchSections } from '../branch-sections.ts';
import type { BranchSection } from '../branch-sections.ts';
import { blocksForPeople, speakerOf } from '../shown-blocks.ts';
import { timeOf } from '../source.ts';
import type { ExportRange, ExportSource } from '../source.ts';
import { blockHtml, callHead, fold, parametersHtml } from './block-html.ts';
import { escapeHtml } from './escape.ts';
import { styleSheet } from './style-sheet.ts';

/** Only this file's own style and images are loaded, whatever its content. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * Writes a conversation as one HTML file for people, in the look of the page: readable without script and without a network, with folded tools and
 * thoughts, branches that links lead to, light and dark, and on paper.
 */
export async function* htmlExport(source: ExportSource, range: ExportRange = {}): AsyncGenerator<string> {
  const { root } = source;
  const title = escapeHtml(root.title ?? 'Conversation');
  const begun = new Date(root.created).toISOString();
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Loom">
<title>${title}</title>
<style>
${styleSheet}</style>
</head>
<body>
<header><h1>${title}</h1><p class="facts"><time datetime="${begun}">${begun.slice(0, 10)}</time> · <code>${escapeHtml(root.id)}</code>${root.tags.map((tag) => ` · <span class="tag">${escapeHtml(tag)}</span>`).join('')}</p></header>
<main>
`;
  const prompt = root.config.systemPrompt;
  if (prompt !== undefined && prompt !== '') {
    yield `${fold('prompt', '<span class="name">System prompt</span>', `<p class="plain">${escapeHtml(prompt)}</p>`)}\n`;
  }
  for (const section of branchSections(source, range)) yield* sectionHtml(section, source);
  yield '</main>\n<footer>Exported from Loom</footer>\n</body>\n</html>\n';
}

async function* sectionHtml(section: BranchSection, source: ExportSource): AsyncGenerator<string> {
  const { fork, nodes, next } = section;
  yield fork === undefined ? '<section>\n' : `<section class="branch">\n${forkHead(fork)}`;
  const results = resultsIn(nodes);
  for (const node of nodes) {
    if (!results.answered.has(node.id)) yield await messageHtml(node, results, source);
  }
  if (next.length > 1) yield nextHtml(next);
  yield '</section>\n';
}

function forkHead({ above, number, of }: NonNullable<BranchSection['fork']>): string {
  const back = above === undefined ? '' : ` <a href="#${anchorOf(above)}">↑ where it forks</a>`;
  return `<h2>Branch ${number} of ${of}${back}</h2>\n`;
}

function nextHtml(next: readonly NodeState[]): string {
  const links = next.map((node, index) => {
    const words = firstWords(node);
    return `<li><a href="#${anchorOf(node)}"><span class="count">${index + 1}</span> ${escapeHtml(words)}</a></li>`;
  });
  return `<nav class="forks" aria-label="Branches"><p>${next.length} branches go on here</p><ol>${links.join('')}</ol></nav>\n`;
}

function firstWords({ title, blocks }: NodeState): string {
  const text = title ?? blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line === '' ? 'Without words' : line.length > 90 ? `${line.slice(0, 88)}…` : line;
}

/** Results that stand with their calls: the first one after each call in the same section. */
interface Results {
  readonly byCall: ReadonlyMap<MessageBlock, NodeState>;
  readonly answered: ReadonlySet<string>;
}

function resultsIn(nodes: readonly NodeState[]): Results {
  const waiting = new Map<string, MessageBlock>();
  const byCall = new Map<MessageBlock, NodeState>();
  const answered = new Set<string>();
  for (const node of nodes) {
    for (const block of node.blocks) if (block.type === 'tool-use') waiting.set(block.id, block);
    const call = node.role === 'tool' ? waiting.get(node.tool_call_id ?? '') : undefined;
    if (call === undefined) continue;
    waiting.delete(node.tool_call_id ?? '');
    byCall.set(call, node);
    answered.add(node.id);
  }
  return { byCall, answered };
}

async function messageHtml(node: NodeState, results: Results, source: ExportSource): Promise<string> {
  const parts: string[] = [];
  for (const block of blocksForPeople(node)) {
    const result = results.byCall.get(block);
    const isCall = block.type === 'tool-use';
    parts.push(isCall ? await callHtml(block, result, source) : await blockHtml(block, source));
  }
  const bookmark = source.bookmark(node.id);
  const marks = [
    ...(bookmark === undefined ? [] : [`<span class="mark">★ ${escapeHtml(bookmark)}</span>`]),
    ...(node.title === undefined ? [] : [`<span class="mark">${escapeHtml(node.title)}</span>`]),
    ...(node.tags ?? []).map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`),
  ];
  const time = timeOf(node);
  const start = node.context_start === true ? '<p class="start">The context of models begins here</p>\n' : '';
  const head = `<p class="head"><span class="who">${escapeHtml(speakerOf(node))}</span>${marks.join('')}<time datetime="${escapeHtml(time)}">${escapeHtml(time.slice(0, 16).replace('T', ' '))}</time></p>`;
  return `${start}<article class="${node.role}" id="${anchorOf(node)}">${head}\n${parts.filter((part) => part !== '').join('\n')}\n</article>\n`;
}

/** Returns a call and its result, in one line that opens. */
async function callHtml(call: ToolUseBlock, result: NodeState | undefined, source: ExportSource): Promise<string> {
  const state = result === undefined ? 'no result' : stateOf(result);
  const isBad = state !== '' && state !== 'no result';
  const head = `${callHead(call.name, call.parameters)}${state === '' ? '' : `<span class="state${isBad ? ' bad' : ''}">${state}</span>`}`;
  const given = parametersHtml(call.parameters);
  const shown = result === undefined ? [] : blocksForPeople(result);
  // Views show the request as well: then the call itself is behind a separate fold.
  const isShown = shown.some(({ type }) => type !== 'text' && type !== 'image');
  const parts: string[] =
    given === '' ? [] : [isShown ? fold('input', '<span class="name">Input</span>', given) : given];
  const anchor = result === undefined ? '' : `<span id="${anchorOf(result)}"></span>`;
  for (const block of shown) {
    // A tool's output is shown verbatim: it is seldom Markdown.
    const isText = block.type === 'text';
    parts.push(
      isText ? `<pre class="result"><code>${escapeHtml(block.text)}</code></pre>` : await blockHtml(block, source),
    );
  }
  return fold(isBad ? 'tool failed' : 'tool', head, `${anchor}${parts.join('\n')}`);
}

function stateOf({ tool, is_error, blocks }: NodeState): string {
  if (tool === 'denied' || tool === 'interrupted') return tool;
  const exit = blocks.find((block) => block.type === 'command')?.exit_code;
  if (exit !== undefined && exit !== 0) return `exit ${exit}`;
  return tool === 'error' || is_error === true ? 'failed' : '';
}
