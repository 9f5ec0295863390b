import { memo, useState } from 'react';
import type { ReactElement } from 'react';
import type { Source } from '@loom/blocks';
import { CodeFence } from './CodeFence.tsx';
import { MarkdownPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { MarkdownToken } from './MarkdownToken.tsx';
import { OpenContext } from './open-context.ts';
import { Preview } from './Preview.tsx';
import { SourcesContext } from './sources-context.ts';

interface MarkdownProps {
  text: string;
  /** True if more is coming: a caret stands at the end. */
  isGrowing?: boolean;
  /** The sources that `[1]` and the like in the text stand for. */
  sources?: readonly Source[] | undefined;
}

/** A Markdown text. While it grows, only its last piece is drawn again. */
export function Markdown({ text, isGrowing = false, sources }: MarkdownProps): ReactElement {
  const [pieces] = useState(() => new MarkdownPieces());
  const groups = pieces.groupsOf(text);
  return (
    <div className={isGrowing ? 'prose prose-growing' : 'prose'}>
      {groups.map((group, index) => (
        <PieceGroup key={index} pieces={group} sources={sources} isGrowing={isGrowing && index === groups.length - 1} />
      ))}
    </div>
  );
}

interface PieceGroupProps {
  pieces: readonly Piece[];
  sources: readonly Source[] | undefined;
  /** True if text may still be added to the last of them. */
  isGrowing: boolean;
}

/** Pieces that are drawn again together: of a long text that grows not even the list of its pieces is gone through. */
const PieceGroup = memo(function PieceGroup({ pieces, sources, isGrowing }: PieceGroupProps): ReactElement {
  return (
    <>
      {pieces.map((piece, index) => (
        <MarkdownPiece
          key={piece.key}
          piece={piece}
          sources={sources}
          isOpen={isGrowing && index === pieces.length - 1}
        />
      ))}
    </>
  );
});

interface MarkdownPieceProps {
  piece: Piece;
  sources: readonly Source[] | undefined;
  isOpen: boolean;
}

const MarkdownPiece = memo(function MarkdownPiece({ piece, sources, isOpen }: MarkdownPieceProps): ReactElement {
  const { token, isClosed } = piece;
  if (token.type === 'code' && 'text' in token && typeof token.text === 'string') {
    const [language = ''] = 'lang' in token && typeof token.lang === 'string' ? token.lang.split(/\s/u) : [];
    if (isClosed && /^(?:mermaid|svg|html)$/iu.test(language)) {
      return <Preview code={token.text} language={language.toLowerCase()} />;
    }
    return <CodeFence code={token.text} language={language} isClosed={isClosed} />;
  }
  return (
    <SourcesContext value={sources}>
      <OpenContext value={isOpen}>
        <MarkdownToken token={token} />
      </OpenContext>
    </SourcesContext>
  );
});
