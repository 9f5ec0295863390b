import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { optionId } from './option-id.ts';
import { PaletteRow } from './PaletteRow.tsx';
import type { Option, Section } from './sections.ts';

interface ListProps {
  id: string;
  sections: readonly Section[];
  currentKey: string | undefined;
  onChoose: (option: Option, isBeside: boolean) => void;
}

/** The lines to choose from. The focus stays in the field, which names the current line by its id. */
export function PaletteList({ id, sections, currentKey, onChoose }: ListProps): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [currentKey]);
  return (
    <div ref={list} id={id} role="listbox" aria-label="Results">
      {sections.map(({ key, name, note, options }) => {
        const heading = optionId(id, `section ${key}`);
        return (
          <div role="group" aria-labelledby={heading} key={key}>
            <div className="palette-heading" id={heading} role="presentation">
              <span className="grow">{name}</span>
              {note !== undefined && <span className="figures">{note}</span>}
            </div>
            {options.map((option) => (
              <div
                key={option.key}
                id={optionId(id, option.key)}
                role="option"
                className="palette-row"
                aria-selected={option.key === currentKey}
                onMouseDown={(event) => event.preventDefault()}
                onClick={(event) => onChoose(option, event.ctrlKey || event.metaKey)}
              >
                <PaletteRow option={option} />
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
}
