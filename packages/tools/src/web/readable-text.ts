/** Elements whose content is not part of the text. */
const left = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'head',
  'title',
  'select',
  'nav',
  'footer',
  'form',
  'button',
]);
/** Elements that begin a new line. */
const lines = new Set(
  'p div section article main header aside ul ol li table tr h1 h2 h3 h4 h5 h6 blockquote pre br hr dl dt dd figure figcaption address details summary'.split(
    ' ',
  ),
);

/** Returns the readable text of a page as Markdown: headings, lists, links and code. Reads the page once, whatever it holds. */
export function readableText(html: string, base: string): string {
  const out = new TextWriter();
  /** The element that is left out, and how deep it is nested in itself. */
  let skipped: { name: string; depth: number } | undefined;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (skipped === undefined && end > at) out.write(decodeEntities(html.slice(at, end)));
    if (open === -1) break;
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const tag = readTag(html, open);
    if (tag === undefined) {
      if (skipped === undefined) out.write('<');
      at = open + 1;
      continue;
    }
    at = tag.end;
    const { name, isEnd } = tag;
    if (skipped !== undefined) {
      if (name === skipped.name) skipped.depth += isEnd ? -1 : 1;
      if (skipped.depth === 0) skipped = undefined;
    } else if (left.has(name) && !isEnd && !tag.isEmpty) skipped = { name, depth: 1 };
    else out.tag(tag, base);
  }
  return out.text();
}

/** Returns the title of a page. */
export function titleOf(html: string): string | undefined {
  const open = /<title(?:\s[^<>]{0,1000})?>/iu.exec(html.slice(0, 200_000));
  if (open === null) return undefined;
  const begin = open.index + open[0].length;
  const end = html.indexOf('</', begin);
  const title = decodeEntities(html.slice(begin, end === -1 ? begin + 300 : Math.min(end, begin + 300)));
  return title.replaceAll(/\s+/gu, ' ').trim() || undefined;
}

interface Tag {
  name: string;
  isEnd: boolean;
  isEmpty: boolean;
  attributes: string;
  end: number;
}

function readTag(html: string, open: number): Tag | undefined {
  const name = /^<(\/?)([a-z][a-z0-9-]{0,30})/iu.exec(html.slice(open, open + 40));
  if (name === null) return html[open + 1] === '!' || html[open + 1] === '?' ? declaration(html, open) : undefined;
  // A quoted attribute may hold the character that ends a tag.
  let at = open + name[0].length;
  let quote = '';
  for (; at < html.length; at += 1) {
    const character = html[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') break;
  }
  const attributes = html.slice(open + name[0].length, at);
  return {
    name: (name[2] ?? '').toLowerCase(),
    isEnd: name[1] === '/',
    isEmpty: attributes.endsWith('/'),
    attributes,
    end: at + 1,
  };
}

function declaration(html: string, open: number): Tag {
  const close = html.indexOf('>', open);
  return { name: '', isEnd: false, isEmpty: true, attributes: '', end: close === -1 ? html.length : close + 1 };
}

/** Collects text and spaces it as a reader would see it. */
class TextWriter {
  readonly #parts: string[] = [];
  #needsBreak = 0;
  #needsSpace = false;
  #isStart = true;
  #isExact = false;
  readonly #links: string[] = [];

  write(text: string): void {
    if (this.#isExact) {
      this.#settle();
      this.#parts.push(text);
      return;
    }
    const words = text.replaceAll(/\s+/gu, ' ');
    if (words === ' ' || words === '') {
      this.#needsSpace ||= words === ' ';
      return;
    }
    if (words.startsWith(' ')) this.#needsSpace = true;
    this.#settle();
    this.#parts.push(words.trim());
    this.#needsSpace = words.endsWith(' ');
  }

  tag({ name, isEnd, attributes }: Tag, base: string): void {
    if (name === 'pre') {
      this.#break(isEnd ? 1 : 2);
      this.#mark('```');
      this.#break(1);
      this.#isExact = !isEnd;
      return;
    }
    if (name === 'a') return this.#link(isEnd, attributes, base);
    if ((name === 'td' || name === 'th') && !isEnd) {
      this.#needsSpace = true;
      if (!this.#isStart && this.#needsBreak === 0) this.#mark('| ');
      return;
    }
    if (name === 'code' && !this.#isExact) return this.#mark('`');
    if (!lines.has(name)) return;
    const isHeading = /^h[1-6]$/u.test(name);
    this.#break(name === 'br' || name === 'li' || name === 'tr' ? 1 : 2);
    if (isEnd) return;
    if (isHeading) this.#mark(`${'#'.repeat(Number(name[1]))} `);
    if (name === 'li') this.#mark('- ');
    if (name === 'blockquote') this.#mark('> ');
  }

  text(): string {
    return this.#parts
      .join('')
      .replaceAll(/\n{3,}/gu, '\n\n')
      .trim();
  }

  #link(isEnd: boolean, attributes: string, base: string): void {
    if (!isEnd) {
      const url = URL.parse(
        decodeEntities(
          /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/iu.exec(attributes)?.slice(1).find(Boolean) ?? '',
        ),
        base,
      );
      const isWeb = url !== null && /^https?:$/u.test(url.protocol) && url.href.split('#')[0] !== base;
      this.#links.push(isWeb ? url.href : '');
      return;
    }
    const url = this.#links.pop() ?? '';
    if (url !== '') this.#parts.push(` (${url})`);
  }

  #mark(text: string): void {
    this.#settle();
    this.#parts.push(text);
    this.#needsSpace = false;
  }

  #break(count: number): void {
    this.#needsBreak = Math.max(this.#needsBreak, count);
  }

  #settle(): void {
    if (this.#needsBreak > 0 && !this.#isStart) this.#parts.push('\n'.repeat(this.#needsBreak));
    else if (this.#needsSpace && !this.#isStart) this.#parts.push(' ');
    this.#needsBreak = 0;
    this.#needsSpace = false;
    this.#isStart = false;
  }
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  euro: '€',
  pound: '£',
  laquo: '«',
  raquo: '»',
  deg: '°',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  rarr: '→',
  larr: '←',
};

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/giu,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : '�';
    },
  );
}
