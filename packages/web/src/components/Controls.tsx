import type { ReactElement } from 'react';

const marks = [
  ['mark-person', 'Person'],
  ['mark-model', 'Model or agent CLI'],
  ['mark-tool', 'Tool'],
  ['mark-file', 'File system, importer'],
  ['mark-model mark-running', 'Running'],
  ['mark-waiting', 'Waits for you'],
  ['mark-failed', 'Ended with an error'],
] as const;

const chips = [
  ['chip', 'label'],
  ['chip chip-accent', 'works'],
  ['chip chip-waiting', 'waits'],
  ['chip chip-bad', 'refused'],
] as const;

/** Marks, buttons and chips. */
export function Controls(): ReactElement {
  return (
    <>
      <figure className="specimen-row">
        {marks.map(([name, words]) => (
          <span key={name} className="specimen-row">
            <span className={`mark ${name}`} />
            {words}
          </span>
        ))}
      </figure>
      <figure className="specimen-row">
        <button type="button" className="button button-primary">
          Primary
        </button>
        <button type="button" className="button">
          Normal
        </button>
        <button type="button" className="button button-quiet">
          Quiet
        </button>
        <button type="button" className="button button-danger">
          Delete
        </button>
        <button type="button" className="button" disabled>
          Off
        </button>
        {chips.map(([name, words]) => (
          <span key={name} className={name}>
            {words}
          </span>
        ))}
        <span className="count">12</span>
        <span className="count count-waiting">4</span>
        <kbd>Ctrl K</kbd>
      </figure>
    </>
  );
}
