import { useRef, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { fullPathIn } from '@loom/blocks';
import { IconButton } from '../ui/IconButton.tsx';
import { Modal } from '../ui/floating/Modal.tsx';
import { BlamedFile } from './BlamedFile.tsx';
import { fileLineWords, readFileLine } from './blame-words.ts';
import type { FileLine } from './blame-words.ts';
import { CommitTurns } from './CommitTurns.tsx';
import './blame.css';

interface BlameDialogProps {
  /** The line that is asked about; `undefined` lets the reader name one. */
  place: FileLine | undefined;
  /** The folder that paths are told from and read in. */
  folder: string | undefined;
  onClose: () => void;
}

/** Says which turn wrote a line of a file, with the way to it, and which turns are behind a commit. */
export function BlameDialog({ place: first, folder, onClose }: BlameDialogProps): ReactElement {
  const [place, setPlace] = useState(first);
  const [words, setWords] = useState(first === undefined ? '' : fileLineWords(first));
  const [commit, setCommit] = useState<{ directory: string; sha: string }>();
  const field = useRef<HTMLInputElement>(null);
  const closing = useRef<HTMLButtonElement>(null);
  const show = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = readFileLine(words);
    if (wanted.path === '') return;
    setCommit(undefined);
    setPlace(wanted);
  };
  const title = commit === undefined ? 'Who wrote this?' : 'Turns behind a commit';
  return (
    <Modal
      label={title}
      onClose={onClose}
      className="dialog-blame"
      initialFocus={first === undefined ? field : closing}
    >
      <div className="blame">
        <header>
          {commit !== undefined && (
            <IconButton icon="left" label="Back to the file" isSmall onClick={() => setCommit(undefined)} />
          )}
          <h2 className="grow">{title}</h2>
          <IconButton ref={closing} icon="close" label="Close" isSmall onClick={onClose} />
        </header>
        {commit === undefined && (
          <form onSubmit={show}>
            <label className="field grow">
              <input
                ref={field}
                aria-label="File, or file:line"
                placeholder={
                  folder === undefined ? 'The path of a file, such as /home/me/notes.md:12' : 'src/main.ts:12'
                }
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            </label>
            <button type="submit" className="button">
              Show
            </button>
          </form>
        )}
        <div className="blame-body scroll" tabIndex={0} role="region" aria-label="Writers">
          {commit === undefined ? (
            place === undefined ? (
              <p className="blame-facts">Name a file, and a line of it if you like.</p>
            ) : (
              <BlamedFile
                place={{ ...place, path: fullPathIn(place.path, folder) }}
                onCommit={(directory, sha) => setCommit({ directory, sha })}
                onLeave={onClose}
              />
            )
          ) : (
            <CommitTurns directory={commit.directory} commit={commit.sha} onLeave={onClose} />
          )}
        </div>
      </div>
    </Modal>
  );
}
