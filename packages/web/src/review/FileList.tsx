import { useState } from 'react';
import type { ReactElement } from 'react';
import { splitPath } from '@loom/blocks';
import { useBlockHost } from '../blocks/block-host.ts';
import { ChangeKind } from '../blocks/changes/ChangeKind.tsx';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { byFolder, totals } from './change-set.ts';
import type { ChangedFile } from './change-set.ts';
import { useReview } from './review-context.ts';
import { contentKey } from './viewed.ts';

/** The changed files by folder, with the comments about each; a click goes to a file. */
export function FileList({ files }: { files: readonly ChangedFile[] }): ReactElement {
  const { viewed } = useReview();
  const folder = useBlockHost().folder();
  const keys = useStore(viewed.keys);
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const shown = files.filter(({ path }) => path.toLowerCase().includes(wanted));
  const seen = files.filter((file) => keys.has(contentKey(file))).length;
  return (
    <nav className="review-list scroll" aria-label="Changed files">
      <label className="field">
        <Icon name="search" />
        <input
          aria-label="Find a file"
          placeholder="Find a file"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </label>
      <p className="review-sum">
        <span className="grow">
          {count(files.length, 'file')}, {seen} viewed
        </span>
        <LineCounts {...totals(files)} />
      </p>
      {byFolder(shown, folder).map(({ folder: name, files: inside }) => (
        <div key={name}>
          <h2 className="mono cut">{name}</h2>
          <ul>
            {inside.map((file) => (
              <FileLink key={file.path} file={file} isViewed={keys.has(contentKey(file))} />
            ))}
          </ul>
        </div>
      ))}
      {shown.length === 0 && files.length > 0 && <p className="review-sum">No file matches “{query}”.</p>}
    </nav>
  );
}

function FileLink({ file, isViewed }: { file: ChangedFile; isViewed: boolean }): ReactElement {
  const { comments } = useReview();
  const about = useStore(comments).filter(({ path }) => path === file.path).length;
  const { path, kind, added, removed } = file;
  return (
    <li>
      <button
        type="button"
        className={isViewed ? 'review-link review-link-viewed' : 'review-link'}
        title={path}
        onClick={() => goToFile(path)}
      >
        <ChangeKind kind={kind} />
        <span className="mono cut grow">{splitPath(path).name}</span>
        {isViewed && (
          <>
            <Icon name="check" small />
            <span className="unseen">viewed</span>
          </>
        )}
        {about > 0 && (
          <span className="review-count" title={count(about, 'comment')}>
            <Icon name="message" small />
            {about}
          </span>
        )}
        <LineCounts added={added} deleted={removed} />
      </button>
    </li>
  );
}

/** Brings a file of the review to the top, with the focus. */
export function goToFile(path: string): void {
  const head = document.getElementById(fileId(path))?.querySelector<HTMLElement>('.review-file-head');
  head?.scrollIntoView({ block: 'start' });
  head?.focus({ preventScroll: true });
}

export function fileId(path: string): string {
  return `review ${path}`;
}
