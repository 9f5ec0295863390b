import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Dialog } from '../ui/floating/Dialog.tsx';
import { areaNames, keyMap, shownKey } from './key-map.ts';
import type { KeyArea } from './key-map.ts';

const areas = ['anywhere', 'page', 'timeline', 'composer', 'editor', 'tree'] as const satisfies readonly KeyArea[];

/** All keys of the page, by area. */
export function ShortcutSheet({ onClose }: { onClose: () => void }): ReactElement {
  const { preferences } = useLoom();
  const hasLetters = useStore(preferences.hasLetterKeys);
  return (
    <Dialog title="Shortcuts" isWide onClose={onClose}>
      <label className="check">
        <input
          type="checkbox"
          checked={hasLetters}
          onChange={(event) => preferences.hasLetterKeys.set(event.target.checked)}
        />
        Single letters act in messages, tree and lists
      </label>
      <div className="key-sheet">
        {areas.map((area) => (
          <section key={area} aria-label={areaNames[area]}>
            <h3>{areaNames[area]}</h3>
            {keyMap
              .filter((binding) => binding.area === area)
              .map(({ command, words, keys }) => (
                <div key={command} className="key-line">
                  <span>{words}</span>
                  <span>
                    {shownKey(keys[0])
                      .split(' ')
                      .map((key, index) => (
                        <kbd key={index}>{key}</kbd>
                      ))}
                  </span>
                </div>
              ))}
          </section>
        ))}
      </div>
      <div className="dialog-buttons">
        <button type="button" className="button" data-safe onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
