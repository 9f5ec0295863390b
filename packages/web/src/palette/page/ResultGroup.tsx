import type { MouseEvent, ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { addressOf } from '../../app/route.ts';
import type { Place } from '../../app/route.ts';
import { sourceName } from '../../conversation/who.ts';
import type { Hit } from '../block-searches.ts';
import type { HitGroup } from '../hit-groups.ts';
import { HitLine } from '../PaletteRow.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { count, grouped } from '../../words/amounts.ts';
import { shortTime } from '../../words/times.ts';
import { folderName } from '../../work/paths.ts';

interface ResultGroupProps {
  group: HitGroup;
  /** The number of blocks found in the conversation. */
  found: number;
  /** Shows all of them. */
  onMore: () => void;
  onChoose: () => void;
}

/** The results in one conversation: its name, project, program and date, the best blocks, and on demand all of them. */
export function ResultGroup({ group, found, onMore, onChoose }: ResultGroupProps): ReactElement {
  const { root, name, hits } = group;
  const place = hits[0]?.place;
  const facts = [
    place?.directory === undefined ? 'No project' : folderName(place.directory),
    ...(place?.source === undefined ? [] : [sourceName(place.source)]),
    ...(place === undefined ? [] : [shortTime(Date.parse(place.time), Date.now())]),
  ];
  return (
    <section className="search-group" aria-label={name}>
      <h2>
        <Icon name={place?.directory === undefined ? 'message' : 'folder'} />
        <PlaceLink place={{ name: 'conversation', root }} className="cut">
          {name}
        </PlaceLink>
        <span className="search-facts">{place === undefined ? '' : facts.join(' · ')}</span>
        <span className="grow" />
        <span className="search-facts figures">{count(found, 'match', 'matches')}</span>
      </h2>
      {hits.map((hit) => (
        <HitLink key={hit.block} hit={hit} onChoose={onChoose} />
      ))}
      {found > hits.length && (
        <button type="button" className="text-button search-more" onClick={onMore}>
          {grouped(found - hits.length)} more in this conversation
        </button>
      )}
    </section>
  );
}

/** A result; it leads to its block, opened at the match. */
function HitLink({ hit, onChoose }: { hit: Hit; onChoose: () => void }): ReactElement {
  const loom = useLoom();
  const { root, block, place, excerpt } = hit;
  const target: Place = {
    name: 'conversation',
    root,
    ...(place === undefined ? {} : { node: place.node }),
    block,
  };
  const onClick = (event: MouseEvent): void => {
    onChoose();
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    loom.go(target, { match: excerpt.match });
  };
  return (
    <a className="palette-row search-hit" href={addressOf(target)} onClick={onClick}>
      <HitLine hit={hit} isAlone={false} />
    </a>
  );
}
