import type { ReactElement, ReactNode } from 'react';
import { NavigatorButton } from '../app/TopBar.tsx';

interface PageProps {
  title: string;
  /** The content beside the title. */
  aside?: ReactNode;
  isWide?: boolean;
  /** True if keys walk through its rows; `board` if they also act on them. */
  isList?: boolean | 'board';
  children: ReactNode;
}

/** A page other than a conversation: a heading, and the content below it. */
export function Page({ title, aside, isWide = false, isList = false, children }: PageProps): ReactElement {
  return (
    <main id="main" tabIndex={-1} className="main">
      <header className="top-bar only-narrow-bar">
        <NavigatorButton />
        <h1 className="page-name">{title}</h1>
      </header>
      <div className="page-scroll scroll" tabIndex={-1} data-keys={isList === true ? 'list' : isList || undefined}>
        <div className={isWide ? 'page page-wide' : 'page'}>
          <div className="page-head">
            <h1 className="grow">{title}</h1>
            {aside}
          </div>
          {children}
        </div>
      </div>
    </main>
  );
}
