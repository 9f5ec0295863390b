import { isPlainObject, isPurged, renderOutput } from '@loom/blocks';
import type {
  CodeBlock,
  CommandBlock,
  FileChangeBlock,
  ImageBlock,
  MessageBlock,
  PlainObject,
  SourcesBlock,
  TodoBlock,
} from '@loom/blocks';
import { describeFile, fileUrl } from '../file-data.ts';
import type { ExportSource } from '../source.ts';
import { escapeHtml, safeAddress } from './escape.ts';
import { markdownHtml } from './markdown-html.ts';

/** A block as elements. A call is written with its result, by the page. */
export async function blockHtml(block: MessageBlock, source: ExportSource): Promise<string> {
  if (isPurged(block)) return '<p class="note">Removed for good</p>';
  switch (block.type) {
    case 'text':
      return `<div class="prose">${markdownHtml(block.text)}</div>`;
    case 'thinking':
      if (block.text === '') return '';
      return fold('think', '<span class="name">Thought</span>', `<div class="prose">${markdownHtml(block.text)}</div>`);
    case 'tool-use':
      return fold('tool', callHead(block.name, block.parameters), parametersHtml(block.parameters));
    case 'image':
      return imageHtml(block, source);
    case 'code':
      return codeHtml(block);
    case 'command':
      return commandHtml(block);
    case 'file-change':
      return changesHtml(block);
    case 'todo':
      return todoHtml(block);
    case 'sources':
      return sourcesHtml(block);
    case 'conversation':
      return `<p class="note">A conversation of its own: <code>${escapeHtml(block.root)}</code></p>`;
    case 'error':
      return `<p class="error"><strong>${escapeHtml(block.code)}</strong> ${escapeHtml(block.message)}</p>`;
    case 'raw':
      return fold('raw', `<span class="name">${escapeHtml(block.source)}</span>`, pre(json(block.value)));
  }
}

/** Returns an element that is folded until the reader opens it. */
export function fold(kind: string, head: string, body: string, isOpen = false): string {
  return `<details class="${kind}"${isOpen ? ' open' : ''}><summary>${head}</summary><div class="inside">${body}</div></details>`;
}

/** Returns the name of a tool and its input, in one line. */
export function callHead(name: string, parameters: PlainObject): string {
  const [first] = Object.values(parameters).filter((value) => typeof value === 'string' && value !== '');
  const brief = typeof first === 'string' ? first.replaceAll(/\s+/g, ' ').slice(0, 160) : '';
  const words = brief === '' ? '' : ` <code class="brief">${escapeHtml(brief)}</code>`;
  return `<span class="name">${escapeHtml(name)}</span>${words}`;
}

export function parametersHtml(parameters: PlainObject): string {
  return Object.keys(parameters).length === 0 ? '' : pre(json(parameters));
}

function pre(text: string, kind = ''): string {
  return `<pre${kind === '' ? '' : ` class="${kind}"`}><code>${escapeHtml(text)}</code></pre>`;
}

function json(value: unknown): string {
  return isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value, undefined, 2) : JSON.stringify(value);
}

const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

async function imageHtml(block: ImageBlock, source: ExportSource): Promise<string> {
  const label = escapeHtml(describeFile(block));
  if (!pictures.has(block.media_type)) return `<p class="note">${label}</p>`;
  const url = await fileUrl(block, source);
  if (url?.startsWith('data:') === true) return `<p><img src="${escapeHtml(url)}" alt="${label}"></p>`;
  const address = url === undefined ? undefined : safeAddress(url);
  return `<p class="note">${address === undefined ? label : `<a href="${escapeHtml(address)}" rel="noreferrer">${label}</a>`}</p>`;
}

function codeHtml({ content, filename, start_line = 1 }: CodeBlock): string {
  const name = filename === undefined ? '' : `<figcaption>${escapeHtml(filename)}</figcaption>`;
  const lines = content.replace(/\n$/, '').split('\n');
  const numbers = lines.map((_line, index) => index + start_line).join('\n');
  return `<figure class="code">${name}<div class="numbered"><pre aria-hidden="true">${numbers}</pre>${pre(lines.join('\n'))}</div></figure>`;
}

function commandHtml({ command, stdout, stderr, exit_code }: CommandBlock): string {
  const [out, wrong] = [renderOutput(stdout), renderOutput(stderr)];
  const failed = exit_code !== undefined && exit_code !== 0 ? `<p class="note bad">exit ${exit_code}</p>` : '';
  const lines = [
    `<span class="prompt">$</span> ${escapeHtml(command)}`,
    ...(out === '' ? [] : [escapeHtml(out.replace(/\n$/, ''))]),
    ...(wrong === '' ? [] : [`<span class="bad">${escapeHtml(wrong.replace(/\n$/, ''))}</span>`]),
  ];
  return `<pre class="console"><code>${lines.join('\n')}</code></pre>${failed}`;
}

function changesHtml({ changes }: FileChangeBlock): string {
  return changes
    .map(({ path, kind, from, diff }) => {
      const name = from === undefined ? path : `${from} → ${path}`;
      const head = `<figcaption><span class="kind ${kind}">${kind}</span> ${escapeHtml(name)}</figcaption>`;
      return `<figure class="code">${head}${diff === undefined ? '' : diffHtml(diff)}</figure>`;
    })
    .join('');
}

function diffHtml(diff: string): string {
  const lines = diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const kind = line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : line.startsWith('@@') ? 'hunk' : '';
      return `<span${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(line)}\n</span>`;
    });
  return `<pre class="diff"><code>${lines.join('')}</code></pre>`;
}

function todoHtml({ items }: TodoBlock): string {
  const marks = { pending: '☐', in_progress: '◐', completed: '☑' };
  const rows = items.map(
    ({ content, status }) =>
      `<li class="${status}"><span class="box">${marks[status]}</span> ${escapeHtml(content)}</li>`,
  );
  return `<ul class="todo">${rows.join('')}</ul>`;
}

function sourcesHtml({ sources }: SourcesBlock): string {
  const rows = sources.map(({ title, url }) => {
    const label = escapeHtml(title === '' ? url : title);
    const address = safeAddress(url);
    return `<li>${address === undefined ? label : `<a href="${escapeHtml(address)}" rel="noreferrer nofollow">${label}</a>`}</li>`;
  });
  return `<ol class="sources">${rows.join('')}</ol>`;
}
