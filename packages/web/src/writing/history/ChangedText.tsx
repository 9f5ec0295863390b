import type { ReactElement } from 'react';
import type { ChangedPiece } from '../../words/pieces-of-change.ts';

/** A text with its changes marked: what is new is underlaid, what was deleted struck. */
export function ChangedText({ pieces }: { pieces: readonly ChangedPiece[] }): ReactElement {
  return (
    <span className="changed-text" dir="auto">
      {pieces.map(({ text, is }, index) => {
        if (is === 'added') return <ins key={index}>{text}</ins>;
        return is === 'deleted' ? <del key={index}>{text}</del> : <span key={index}>{text}</span>;
      })}
    </span>
  );
}
