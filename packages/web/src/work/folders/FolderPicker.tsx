import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { pathWords } from '@loom/blocks';
import { useAsked } from '../../stores/use-asked.ts';
import { describeFailure, RefusedError } from '../../words/failures.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useChosenAgent } from '../chosen-agent.ts';
import { folderListing, folderRows, wantedFolder } from './folder-rows.ts';
import type { FolderRow } from './folder-rows.ts';
import { useWorkHost } from '../work-host.ts';

interface FolderPickerProps {
  /** The path of the folder in use; empty for none. */
  chosen: string;
  onChoose: (path: string) => void;
}

/** Chooses a folder: a recent one by its name, one by its path, one found by looking through folders, or none. */
export function FolderPicker({ chosen, onChoose }: FolderPickerProps): ReactElement {
  const { ask } = useWorkHost();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState<string>();
  const [current, setCurrent] = useState(0);
  const [unusable, setUnusable] = useState<string>();
  const [isEntered, setEntered] = useState(false);
  const listId = useId();
  const agent = useChosenAgent()?.title;
  const list = async (path?: string) =>
    folderListing.parse(await ask('folder.list', path === undefined ? {} : { path }));
  const first = useAsked('home', () => list());
  const home = first.value?.path;
  const wanted = wantedFolder({ query, at, home });
  const { value: listing, failure, isAsking } = useAsked(wanted, () => list(wanted));
  const problem = unusable ?? failure ?? first.failure;
  // The content of the folder before would offer to use that one.
  const present = isAsking ? undefined : listing;
  const rows = folderRows({ query, at, recent: first.value?.recent ?? [], listing: present, home, agent });
  const show = (now: { query: string; at?: string | undefined }): void => {
    setQuery(now.query);
    if ('at' in now) setAt(now.at);
    setCurrent(0);
    setUnusable(undefined);
    setEntered(false);
  };
  // The server follows links, and says so if the folder cannot be used.
  const use = (path: string): void => {
    list(path).then(
      (found) => onChoose(found.path),
      (error: unknown) => setUnusable(unusableWords(pathWords(path, { home }), error)),
    );
  };
  const choose = ({ kind, path }: FolderRow): void => {
    if (kind === 'browse') show({ query: '', at: home ?? '~' });
    else if (kind === 'open' || kind === 'up') show({ query: '', at: path });
    else if (kind === 'none') onChoose('');
    else use(path);
  };
  // Until the recent folders are known, an Enter waits for the row that it is meant for.
  const isAwaited = first.isAsking && wanted === undefined;
  useEffect(() => {
    const row = rows[current];
    if (!isEntered || isAwaited) return;
    setEntered(false);
    if (row !== undefined) choose(row);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[current];
    if (event.key === 'ArrowDown') setCurrent(Math.min(rows.length - 1, current + 1));
    else if (event.key === 'ArrowUp') setCurrent(Math.max(0, current - 1));
    else if (event.key === 'Enter' && isAwaited) setEntered(true);
    else if (event.key === 'Enter' && row !== undefined) choose(row);
    else if (event.key === 'Backspace' && query === '' && at !== undefined) show({ query: '', at: undefined });
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="field picker-search">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-label="Filter, or type a path"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={`${listId}-${current}`}
          placeholder={at === undefined ? 'Filter, or type a path' : 'Filter these folders'}
          spellCheck={false}
          value={query}
          onChange={(event) => show({ query: event.target.value })}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} role="listbox" aria-label="Folders" className="picker-list scroll">
        {rows.some(({ kind }) => kind === 'recent') && <p className="picker-provider">Recent</p>}
        {rows.map((row, index) => (
          <FolderOption
            key={row.key}
            id={`${listId}-${index}`}
            row={row}
            isCurrent={index === current}
            isChosen={row.kind === 'none' ? chosen === '' : row.kind === 'recent' && row.path === chosen}
            onChoose={choose}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p className="picker-note failure" role="alert">
          {problem}
        </p>
      )}
      {isAsking && <p className="picker-note">Looking into the folder…</p>}
    </>
  );
}

/** `~/code/x does not exist.` */
function unusableWords(path: string, error: unknown): string {
  const refusal = error instanceof RefusedError ? error.refusal : undefined;
  const [problem] = refusal?.reason === 'invalid-params' ? refusal.problems : [];
  return problem === undefined ? describeFailure(error) : `${path} ${problem.problem}.`;
}

const icons = { recent: 'folder', use: 'check', open: 'folder', up: 'up', browse: 'folder', none: 'message' } as const;

interface FolderOptionProps {
  id: string;
  row: FolderRow;
  isCurrent: boolean;
  isChosen: boolean;
  onChoose: (row: FolderRow) => void;
}

function FolderOption({ id, row, isCurrent, isChosen, onChoose }: FolderOptionProps): ReactElement {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <div
      ref={option}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={isCurrent ? 'picker-row picker-row-current' : 'picker-row'}
      title={row.path === '' ? undefined : row.path}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(row)}
    >
      <Icon name={icons[row.kind]} />
      <span className="folder-name">{row.name}</span>
      <span className={row.kind === 'none' ? 'grow folder-aside' : 'grow cut folder-path'}>{row.detail}</span>
      {isChosen && <Icon name="check" />}
    </div>
  );
}
