import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { PhoneParts } from '../../phone/PhoneParts.tsx';
import type { PhoneHost } from '../../phone/phone-host.ts';
import { useStore } from '../../stores/use-store.ts';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { useLoom } from '../loom-context.ts';
import { readAddress } from '../route.ts';
import type { Place } from '../route.ts';

/** The parts of an installed page, with what they need of the page. */
export function PhonePlace(): ReactElement {
  const loom = useLoom();
  const { name } = useStore(loom.place);
  const host = useMemo((): PhoneHost => {
    const { list, waiting, preferences, go } = loom;
    return {
      list,
      waiting,
      hasNotifications: preferences.hasNotifications,
      place: tabOf(name),
      open(path) {
        const { pathname, hash } = new URL(path, location.origin);
        go(readAddress(pathname, hash));
      },
      link: (to, isCurrent, content) => (
        <PlaceLink place={to === 'search' ? { name: to, query: '' } : { name: to }} isCurrent={isCurrent}>
          {content}
        </PlaceLink>
      ),
    };
  }, [loom, name]);
  return <PhoneParts host={host} />;
}

function tabOf(name: Place['name']): PhoneHost['place'] {
  switch (name) {
    case 'needs-you':
    case 'agents':
    case 'conversations':
    case 'search':
      return name;
    case 'bookmarks':
    case 'usage':
    case 'settings':
      return 'other';
    default:
      return undefined;
  }
}
