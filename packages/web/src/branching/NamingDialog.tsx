import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { Loom } from '../app/loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { Dialog } from '../ui/floating/Dialog.tsx';
import type { Naming } from './workspace.ts';

const titles = { bookmark: 'Bookmark', message: 'Title and tags', conversation: 'Title and tags of the conversation' };

/** Asks for a name: of a bookmark, of a message, of the conversation. */
export function NamingDialog({ naming }: { naming: Naming }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { what } = naming;
  const before = namesOf(conversation, naming);
  const [title, setTitle] = useState(before.title);
  const [tags, setTags] = useState(before.tags.join(', '));
  const close = (): void => loom.workspace.naming.set(undefined);
  const save = (names: Names | undefined): void => {
    close();
    loom.attempt(() => rename(loom, naming, names));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const list = tags.split(',').map((tag) => tag.trim());
    save({ title: title.trim(), tags: [...new Set(list.filter((tag) => tag !== ''))] });
  };
  return (
    <Dialog title={titles[what]} onClose={close}>
      <form onSubmit={submit} className="dialog-form">
        <label className="dialog-field">
          {what === 'bookmark' ? 'Name, may be empty' : 'Title'}
          <input autoFocus value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>
        {what !== 'bookmark' && (
          <label className="dialog-field">
            Tags, separated by commas
            <input value={tags} onChange={(event) => setTags(event.target.value)} />
          </label>
        )}
        <div className="dialog-buttons">
          {what === 'bookmark' && before.isSet && (
            <button type="button" className="button button-quiet button-danger" onClick={() => save(undefined)}>
              Remove
            </button>
          )}
          <span className="grow" />
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button button-primary">
            {what === 'bookmark' && !before.isSet ? 'Add bookmark' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface Names {
  title: string;
  tags: readonly string[];
}

function namesOf({ replica }: OpenConversation, { what, id }: Naming): Names & { isSet: boolean } {
  const { root } = replica;
  const bookmark = root.bookmarks[id];
  if (what === 'bookmark') return { title: bookmark ?? '', tags: [], isSet: bookmark !== undefined };
  const { title = '', tags = [] } = what === 'message' ? (replica.outline.get(id) ?? {}) : root;
  return { title, tags, isSet: title !== '' };
}

/** `undefined` takes the name away. */
async function rename(loom: Loom, { what, id }: Naming, names: Names | undefined): Promise<void> {
  if (what === 'bookmark') {
    await loom.ask('node.bookmark', { node: id, title: names === undefined ? null : names.title });
    return;
  }
  const title = names === undefined || names.title === '' ? null : names.title;
  const tags = [...(names?.tags ?? [])];
  if (what === 'message') await loom.ask('node.mark', { node: id, title, tags: tags.length === 0 ? null : tags });
  else await loom.ask('root.mark', { root: id, title, tags: tags.length === 0 ? null : tags });
}
