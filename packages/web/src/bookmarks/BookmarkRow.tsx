import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { branchName } from '../navigator/row/branch-name.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { shortTime } from '../words/times.ts';
import type { Bookmark } from './bookmark-groups.ts';

/** A marked message: its bookmark's name, and how it begins. */
export function BookmarkRow({ mark: { root, node, title } }: { mark: Bookmark }): ReactElement {
  const loom = useLoom();
  const read = useCallback(() => loom.ask('node.get', { node }), [loom, node]);
  const message = useAnswer(read).value;
  const words = message === undefined ? '' : branchName({ message: message.message, metadata: message.metadata });
  const time = message?.metadata.timestamp;
  const remove = (): void =>
    loom.attempt(async () => {
      await loom.ask('node.bookmark', { node, title: null });
      loom.notices.tell('Removed the bookmark.', {
        label: 'Undo',
        run: () => loom.attempt(async () => void (await loom.ask('node.bookmark', { node, title }))),
      });
    });
  return (
    <li>
      <Icon name="bookmark" />
      <PlaceLink place={{ name: 'conversation', root, node }} className="row-link grow">
        <span className="cut row-title">{title === '' ? words || 'Message' : title}</span>
        {title !== '' && <span className="cut row-about">{words}</span>}
      </PlaceLink>
      {time !== undefined && <time dateTime={time}>{shortTime(Date.parse(time), Date.now())}</time>}
      <IconButton icon="trash" label="Remove the bookmark" isSmall onClick={remove} />
    </li>
  );
}
