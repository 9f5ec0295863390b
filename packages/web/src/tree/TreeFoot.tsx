import type { ReactElement } from 'react';
import { count } from '../words/amounts.ts';

const keys = [
  [['↑', '↓'], 'move'],
  [['←', '→'], 'fold'],
  [['Enter'], 'go on from there'],
  [['O'], 'show'],
  [['L'], 'label'],
  [['B'], 'bookmark'],
  [['M'], 'mark to compare'],
] as const;

/** The keys of the tree, and how much of it is folded. */
export function TreeFoot({ folded }: { folded: number }): ReactElement {
  return (
    <footer className="tree-foot not-narrow">
      {keys.map(([names, words]) => (
        <span key={words}>
          {names.map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}
          {words}
        </span>
      ))}
      <span className="grow" />
      {folded > 0 && <span>Folded: {count(folded, 'message')}</span>}
    </footer>
  );
}
