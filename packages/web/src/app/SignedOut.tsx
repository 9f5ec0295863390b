import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';

/** The page for a reader whom the server does not know. */
export function SignedOut({ reason }: { reason?: string }): ReactElement {
  return (
    <main className="sign-in">
      <Icon name="loom" />
      <h1>Sign in to Loom</h1>
      {reason !== undefined && <p role="alert">{reason}</p>}
      <p>
        Run <code>loom open</code> in a terminal on the machine where Loom runs, and open the address that it prints. It
        signs this browser in for 30 days.
      </p>
    </main>
  );
}
