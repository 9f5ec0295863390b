import { memo, useState } from 'react';
import type { ReactElement } from 'react';
import type { Source } from '@loom/blocks';
import { CodeFence } from './CodeFence.tsx';
import { MarkdownPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { MarkdownToken } from './MarkdownToken.tsx';
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
  return (
    <div className={isGrowing ? 'prose prose-growing' : 'prose'}>
      {pieces.groupsOf(text).map((group, index) => (
        <PieceGroup key={index} pieces={group} sources={sources} />
      ))}
    </div>
  );
}

interface PieceGroupProps {
  pieces: readonly Piece[];
  sources: readonly Source[] | undefined;
}

/** Pieces that are drawn again together: of a long text that grows not even the list of its pieces is gone through. */
const PieceGroup = memo(function PieceGroup({ pieces, sources }: PieceGroupProps): ReactElement {
  return (
    <>
      {pieces.map((piece) => (
        <MarkdownPiece key={piece.key} piece={piece} sources={sources} />
      ))}
    </>
  );
});

interface MarkdownPieceProps {
  piece: Piece;
  sources: readonly Source[] | undefined;
}

const MarkdownPiece = memo(function MarkdownPiece({ piece, sources }: MarkdownPieceProps): ReactElement {
  const { token, isClosed } = piece;
  if (token.type === 'code' && 'text' in token && typeof token.text === 'string') {
    const language = 'lang' in token && typeof token.lang === 'string' ? token.lang : '';
    return <CodeFence code={token.text} language={language.split(/\s/u)[0] ?? ''} isClosed={isClosed} />;
  }
  return (
    <SourcesContext value={sources}>
      <MarkdownToken token={token} />
    </SourcesContext>
  );
});
