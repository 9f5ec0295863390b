import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Nothing } from '../ui/Nothing.tsx';
import { Page } from '../ui/Page.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { BookmarkRow } from './BookmarkRow.tsx';
import { bookmarkGroups } from './bookmark-groups.ts';

/** The marked messages of all conversations, by conversation. */
export function BookmarksPage(): ReactElement {
  const loom = useLoom();
  // The list of conversations says when there are others than before.
  const { items } = useStore(loom.list);
  const key = JSON.stringify(items.flatMap(({ bookmarks }) => bookmarks));
  const read = useCallback(() => loom.ask('bookmark.list', { limit: 500 }), [loom, key]);
  const answer = useAnswer(read);
  return (
    <Page title="Bookmarks" isList>
      <Waiting answer={answer}>
        {({ items: marks }) =>
          marks.length === 0 ? (
            <Nothing title="No bookmarks yet">
              <p>
                Press <kbd>B</kbd> on a message to find it again here. A bookmark also protects it from being deleted.
              </p>
            </Nothing>
          ) : (
            bookmarkGroups(
              marks,
              items.map(({ id }) => id),
            ).map(({ root, name, marks: own }) => (
              <section key={root} className="bookmark-group" aria-label={name}>
                <h2 className="cut">{name}</h2>
                <ul className="page-rows">
                  {own.map((mark) => (
                    <BookmarkRow key={mark.node} mark={mark} />
                  ))}
                </ul>
              </section>
            ))
          )
        }
      </Waiting>
    </Page>
  );
}
