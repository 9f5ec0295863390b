import { Fragment, use } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { later } from '../ui/later.tsx';
import { citedParts } from './citations.ts';
import { Footnote, FootnoteMark } from './Footnote.tsx';
import type { FootnoteMarkToken, FootnoteToken, FormulaToken } from './formula-syntax.ts';
import { Formula } from './Formula.tsx';
import { safeAddress } from './safe-address.ts';
import { SourcesContext } from './sources-context.ts';

/**
 * Draws a token of Markdown as elements. No markup is made of text at any point: a model's text becomes text and a fixed set of elements,
 * so there is nothing that could run.
 */
export function MarkdownToken({ token }: { token: Token | KnownToken }): ReactNode {
  if (!isKnown(token)) return 'text' in token ? String(token.text) : token.raw;
  switch (token.type) {
    case 'paragraph':
      return (
        <p>
          <Inside token={token} />
        </p>
      );
    case 'heading':
      // Models skip levels, and every text begins anew: for screen readers all headings are of one level, whatever their size.
      return (
        <h2 className={`heading-${token.depth}`}>
          <Inside token={token} />
        </h2>
      );
    case 'blockquote':
      return (
        <blockquote dir="auto">
          <Inside token={token} />
        </blockquote>
      );
    case 'list':
      return <List token={token} />;
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'strong':
      return (
        <strong>
          <Inside token={token} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inside token={token} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inside token={token} />
        </del>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return (
        <Link address={token.href}>
          <Inside token={token} />
        </Link>
      );
    case 'image':
      // A picture of another server would tell it who reads this, so it is a link with its address.
      return <Link address={token.href}>{token.text === '' ? token.href : `${token.text} (${token.href})`}</Link>;
    case 'text':
      return token.tokens === undefined ? <Words text={token.text} /> : <Inside token={token} />;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'formula':
      return <Formula token={token} />;
    case 'footnote':
      return (
        <Footnote label={token.label}>
          <Inside token={token} />
        </Footnote>
      );
    case 'footnote-mark':
      return <FootnoteMark label={token.label} />;
    case 'escape':
    case 'html':
      return token.text;
    // Drawn with its item.
    case 'checkbox':
    case 'space':
    case 'def':
      return null;
  }
}

type KnownToken =
  | FootnoteMarkToken
  | FootnoteToken
  | FormulaToken
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text;

const knownTypes: ReadonlySet<string> = new Set<KnownToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'footnote',
  'footnote-mark',
  'formula',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
]);

function isKnown(token: Token | KnownToken): token is KnownToken {
  return knownTypes.has(token.type);
}

function Inside({ token }: { token: { tokens?: Token[] } }): ReactElement {
  return (
    <>
      {token.tokens?.map((part, index) => (
        <MarkdownToken key={index} token={part} />
      ))}
    </>
  );
}

function List({ token }: { token: Tokens.List }): ReactElement {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && (
        <span role="img" aria-label={item.checked === true ? 'done' : 'to do'}>
          {item.checked === true ? '☑ ' : '☐ '}
        </span>
      )}
      <Inside token={item} />
    </li>
  ));
  if (!token.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={token.start === '' ? undefined : token.start}>
      {items}
    </ol>
  );
}

const TableTools = later(async () => (await import('./TableTools.tsx')).TableTools, { isExpected: false });

function Table({ token }: { token: Tokens.Table }): ReactElement {
  return (
    <div className="table-frame">
      <TableTools token={token} />
      <div className="table scroll" tabIndex={0} role="group" aria-label="Table">
        <table dir="auto">
          <thead>
            <tr>
              {token.header.map((cell, index) => (
                <th key={index} className={alignment(cell)}>
                  <Inside token={cell} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) => (
                  <td key={at} className={alignment(cell)}>
                    <Inside token={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function alignment({ align }: Tokens.TableCell): string | undefined {
  return align === 'right' || align === 'center' ? `align-${align}` : undefined;
}

/** Words, in which `[1]` leads to the source of that number. */
function Words({ text }: { text: string }): ReactNode {
  const sources = use(SourcesContext);
  if (sources === undefined || sources.length === 0 || !text.includes('[')) return text;
  return citedParts(text, sources).map((part, index) =>
    part.source === undefined ? (
      part.text
    ) : (
      <Link key={index} address={part.source.url} className="citation" title={part.source.title}>
        {part.text}
      </Link>
    ),
  );
}

interface LinkProps {
  address: string;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** A link to an address that a person may open; any other address is shown as text. */
function Link({ address, children, ...looks }: LinkProps): ReactElement {
  const safe = safeAddress(address);
  if (safe === undefined) return <Fragment>{children}</Fragment>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer" {...looks}>
      {children}
    </a>
  );
}
