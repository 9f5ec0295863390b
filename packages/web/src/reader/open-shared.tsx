import type { ReactElement } from 'react';
import { takeEarlyKeys } from '../composer/early-keys.ts';
import { SharedLink } from './shared-link.ts';
import { SharedPage } from './SharedPage.tsx';

/** Opens the link that the address of the page is. Its secret stands behind the `#`, where no server sees it. */
export function openShared(): ReactElement {
  const link = new SharedLink(location.hash.slice(1), {
    fetch: (path, init) => fetch(path, init),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  // There is no field to type into.
  takeEarlyKeys();
  // Another link of the same conversation differs from this one only behind the `#`.
  addEventListener('hashchange', () => location.reload());
  void link.follow();
  return <SharedPage link={link} />;
}
