import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from './loom-context.ts';
import { NavigatorButton } from './TopBar.tsx';
import { Composer } from '../composer/Composer.tsx';
import { useHomeChanges } from '../stores/use-home-changes.ts';
import { useStore } from '../stores/use-store.ts';
import { lazily } from '../ui/lazily.ts';
import { later } from '../ui/later.tsx';

const loadProjectModel = lazily(() => import('../models/project-model.ts'));
const FirstRun = later(async () => (await import('../first-run/FirstRun.tsx')).FirstRun);

/** The page of a new conversation. A reader who has none yet sees which models can answer. */
export function NewConversation(): ReactElement {
  const loom = useLoom();
  const { list, isPickerOpen, models, beginning } = loom;
  const folder = useStore(beginning.folder);
  // Its project may say which model answers. Where that is not known, the reader's choice stays.
  useEffect(
    () =>
      void loadProjectModel()
        .then((part) => part.takeProjectModel(loom, folder))
        .catch(() => {}),
    [loom, folder],
  );
  useHomeChanges(
    'settings/',
    () =>
      void loadProjectModel()
        .then((part) => part.followProjectModel(loom, folder))
        .catch(() => {}),
  );
  const { status, items } = useStore(list);
  const { presets } = useStore(models.known);
  const isEmpty = status === 'live' && items.length === 0;
  // It stays while the conversations it has begun fill the list.
  const [isFirst, setFirst] = useState(isEmpty);
  if (isEmpty && !isFirst) setFirst(true);
  return (
    <main id="main" tabIndex={-1} className="main">
      <header className="top-bar">
        <NavigatorButton />
        <h1>{isFirst ? 'Welcome to Loom' : 'New conversation'}</h1>
      </header>
      {isFirst ? (
        <FirstRun />
      ) : (
        <div className="middle new-conversation">
          <h2>New conversation</h2>
          <p>Write below, or drop files. Conversations become trees that you can fork, edit and compare.</p>
          {presets.length > 0 && (
            <button type="button" className="button button-quiet" onClick={() => isPickerOpen.set(true)}>
              Use a preset
            </button>
          )}
        </div>
      )}
      <Composer />
    </main>
  );
}
