import './composer/early-keys.ts';
import { isShared } from './session/early-tickets.ts';
import './session/no-code-generation.ts';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import type { Root } from 'react-dom/client';
import { App } from './app/App.tsx';
import { Loom } from './app/loom.ts';
import { LoomContext } from './app/loom-context.ts';
import { SignedOut } from './app/SignedOut.tsx';
import { openSession } from './session/session.ts';
import { loadTheRest } from './ui/later.tsx';
import { whenIdle } from './ui/when-idle.ts';
import { describeFailure } from './words/failures.ts';
import './styles/fonts/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/floating.css';
import './styles/shell.css';
import './styles/navigator.css';
import './styles/palette.css';
import './styles/pages.css';
import './board/board.css';
import './board/beside/beside.css';
import './styles/timeline.css';
import './styles/blocks.css';
import './markdown/rendering.css';
import './styles/inspector.css';
import './styles/tree.css';
import './styles/branching.css';
import './timeline/turns/turns.css';
import './styles/tools.css';
import './styles/changes.css';
import './styles/block-parts.css';
import './styles/asking.css';
import './styles/components.css';
import './styles/compare.css';
import './review/review.css';
import './work/work.css';
import './styles/composer.css';
import './styles/models.css';
import './styles/answers.css';
import './styles/settings.css';
import './settings/providers.css';
import './palette/page/search.css';
import './importing/exchange.css';

const container = document.getElementById('page');
if (container === null) throw new Error('the document has no place for the page');
void start(createRoot(container));

async function start(root: Root): Promise<void> {
  try {
    // A reader of a link has no part in the rest.
    if (isShared) {
      root.render((await import('./reader/open-shared.tsx')).openShared());
      return;
    }
    const session = await openSession();
    if (session === undefined) {
      root.render(<SignedOut />);
      return;
    }
    const loom = new Loom(session);
    // In slices: the server's first messages for the feed are answered between them, and not after the whole page is drawn.
    startTransition(() =>
      root.render(
        <LoomContext value={loom}>
          <App />
        </LoomContext>,
      ),
    );
    // Not before the reader's target is there.
    setTimeout(() => void loadTheRest(whenIdle), 1000);
  } catch (error) {
    root.render(<SignedOut reason={describeFailure(error)} />);
  }
}
