import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import { escapeHtml, safeAddress } from './escape.ts';

/** Longer texts are shown verbatim: parsing them takes time that grows faster than they do. */
const longestText = 200_000;

/** Deeper quotes and lists are shown verbatim. */
const deepestNesting = 30;

/** Returns Markdown as a fixed set of elements. Markup in it stays text: nothing that a model or a user wrote becomes an element. */
export function markdownHtml(text: string): string {
  if (text.length > longestText) return plain(text);
  try {
    return renderAll(new Lexer({ gfm: true }).lex(text), 0);
  } catch {
    return plain(text);
  }
}

function plain(text: string): string {
  return `<p class="plain">${escapeHtml(text)}</p>`;
}

function renderAll(tokens: readonly Token[] | undefined, depth: number): string {
  return (tokens ?? []).map((token) => render(token, depth)).join('');
}

function render(token: Token, depth: number): string {
  if (depth > deepestNesting) return escapeHtml(token.raw);
  const inside = (): string =>
    'tokens' in token && token.tokens !== undefined
      ? renderAll(token.tokens, depth + 1)
      : escapeHtml('text' in token ? String(token.text) : token.raw);
  switch (token.type) {
    case 'paragraph':
      return `<p>${inside()}</p>`;
    case 'heading':
      return `<h4 class="h${isHeading(token) ? token.depth : 3}">${inside()}</h4>`;
    case 'blockquote':
      return `<blockquote>${inside()}</blockquote>`;
    case 'list':
      return isList(token) ? list(token, depth) : inside();
    case 'table':
      return isTable(token) ? table(token, depth) : inside();
    case 'code':
      return `<pre><code>${escapeHtml('text' in token ? String(token.text) : '')}</code></pre>`;
    case 'hr':
      return '<hr>';
    case 'br':
      return '<br>';
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${inside()}</${token.type}>`;
    case 'codespan':
      return `<code>${escapeHtml('text' in token ? String(token.text) : '')}</code>`;
    case 'link':
      return link('href' in token ? String(token.href) : '', inside());
    // An image on another server would tell that server who reads this, so it becomes a link with its address.
    case 'image': {
      const [address, label] = ['href' in token ? String(token.href) : '', 'text' in token ? String(token.text) : ''];
      return link(address, escapeHtml(label === '' ? address : label));
    }
    case 'text':
      return inside();
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    default:
      return escapeHtml('text' in token ? String(token.text) : token.raw);
  }
}

function link(address: string, label: string): string {
  const safe = safeAddress(address);
  return safe === undefined ? label : `<a href="${escapeHtml(safe)}" rel="noreferrer nofollow">${label}</a>`;
}

function list({ ordered, start, items }: Tokens.List, depth: number): string {
  const content = items.map(({ tokens, task, checked }) => {
    const box = task ? `<span class="box">${checked === true ? '☑' : '☐'}</span> ` : '';
    return `<li${task ? ' class="task"' : ''}>${box}${renderAll(tokens, depth + 1)}</li>`;
  });
  const first = typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
  return ordered ? `<ol${first}>${content.join('')}</ol>` : `<ul>${content.join('')}</ul>`;
}

function table({ header, rows }: Tokens.Table, depth: number): string {
  const row = (cells: readonly Tokens.TableCell[], name: string): string =>
    `<tr>${cells.map(({ tokens }) => `<${name}>${renderAll(tokens, depth + 1)}</${name}>`).join('')}</tr>`;
  const body = rows.map((cells) => row(cells, 'td')).join('');
  return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

// The lexer's own union has a member that takes any type; these tell the compiler which one is meant.
function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token;
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'header' in token;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading' && 'depth' in token;
}
