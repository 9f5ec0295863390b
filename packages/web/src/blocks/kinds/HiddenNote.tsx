import type { ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import type { HiddenRow } from '../../conversation/rows.ts';
import { Icon } from '../../ui/Icon.tsx';
import { hiddenWords } from './hidden-words.ts';

/** Says that blocks are hidden here, so that they are not taken for lost. */
export function HiddenNote({ row }: { row: HiddenRow }): ReactElement {
  const { preferences } = useLoom();
  const show = (): void => preferences.hidden.update((hidden) => hidden.filter((kind) => !row.kinds.includes(kind)));
  return (
    <div className="hidden-note">
      <Icon name="eye" />
      <span>{hiddenWords(row)}</span>
      <button type="button" className="text-button" onClick={show}>
        Show
      </button>
    </div>
  );
}
