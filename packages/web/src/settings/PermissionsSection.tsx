import type { ReactElement } from 'react';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { Decisions } from '../work/permissions/Decisions.tsx';
import { Permissions } from '../work/permissions/Permissions.tsx';

/** The rights of models on this computer. */
export function PermissionsSection(): ReactElement {
  return (
    <>
      <h2>Permissions</h2>
      <p className="settings-note">
        What models may do on this computer. Only people with the owner role can change this, and no model ever can.
      </p>
      <Permissions
        history={<PlaceLink place={{ name: 'settings', section: 'decisions' }}>Decision history</PlaceLink>}
      />
    </>
  );
}

/** The decisions about calls of tools. */
export function DecisionsSection(): ReactElement {
  return (
    <>
      <h2>Decision history</h2>
      <p className="settings-note">
        Every call that a person or a rule has decided about, read from the logs of the conversations.{' '}
        <PlaceLink place={{ name: 'settings', section: 'permissions' }}>Back to permissions</PlaceLink>
      </p>
      <Decisions
        link={({ root, node }, words) => <PlaceLink place={{ name: 'conversation', root, node }}>{words}</PlaceLink>}
      />
    </>
  );
}
