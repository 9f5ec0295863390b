import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../../app/loom-context.ts';
import type { Overview } from '../../conversation/open-conversation.ts';
import { useStore } from '../../stores/use-store.ts';
import { railMarks } from './rail-marks.ts';
import type { RailMark } from './rail-marks.ts';

const names: { readonly [Kind in RailMark['kind']]: string } = {
  person: 'What a person said',
  bookmark: 'Bookmark',
  error: 'What went wrong',
};

/** The marks of a long branch. */
export function Rail({ overview: { shape, path } }: { overview: Overview }): ReactElement {
  const { workspace } = useLoom();
  const conversation = useConversation();
  const { bookmarks } = useStore(conversation.watch.whole).root;
  const marks = useMemo(
    () =>
      railMarks(path, (id) => {
        const node = shape.nodes.get(id);
        if (node?.tool === 'error') return 'error';
        if (bookmarks[id] !== undefined) return 'bookmark';
        return node?.role === 'user' ? 'person' : undefined;
      }),
    [path, shape, bookmarks],
  );
  return (
    <div className="rail" aria-hidden="true">
      {marks.map(({ node, kind, at }) => (
        <button
          key={node}
          type="button"
          tabIndex={-1}
          className={`rail-mark rail-${kind}`}
          title={names[kind]}
          style={{ top: `${at * 100}%` }}
          onClick={() => workspace.reveal.set({ node, how: 'center' })}
        />
      ))}
    </div>
  );
}
