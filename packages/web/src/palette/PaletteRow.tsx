import { memo } from 'react';
import type { ReactElement } from 'react';
import { toolIcon, toolKindOf } from '../blocks/tools/tool-kinds.ts';
import { nameOf } from '../navigator/navigator-rows.ts';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { shortTime } from '../words/times.ts';
import type { Hit } from './block-searches.ts';
import { hitTitle, isWritten } from './hit-words.ts';
import type { Option } from './sections.ts';

/** One line of the palette. */
export const PaletteRow = memo(function PaletteRow({ option }: { option: Option }): ReactElement {
  switch (option.kind) {
    case 'action':
      return <Line icon={option.action.icon} title={option.action.label} where={option.action.keys} />;
    case 'conversation': {
      const { branches, updated } = option.item;
      const where = [
        branches > 1 ? count(branches, 'branch', 'branches') : '',
        shortTime(Date.parse(updated), Date.now()),
      ];
      return (
        <Line icon="message" title={nameOf(option.item)} where={where.filter((part) => part !== '').join(' · ')} />
      );
    }
    case 'recent':
      return <Line icon="clock" title={option.text} />;
    case 'more':
    case 'search-on':
      return <Line icon="plus" title={option.label} />;
    default:
      return <HitLine hit={option.hit} />;
  }
});

function Line({
  icon,
  title,
  where = '',
}: {
  icon: IconName;
  title: string;
  where?: string | undefined;
}): ReactElement {
  return (
    <>
      <Icon name={icon} />
      <span className="cut">{title}</span>
      <span className="palette-where">{where}</span>
    </>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  text: 'message',
  thinking: 'thinking',
  command: 'command',
  code: 'code',
  'file-change': 'file',
  todo: 'list',
  sources: 'globe',
  image: 'image',
  error: 'needs',
};

interface HitLineProps {
  hit: Hit;
  /** True if nothing around it names its conversation. */
  isAlone?: boolean;
}

/** A block in which something was found, with the line around the match. */
export function HitLine({ hit, isAlone = true }: HitLineProps): ReactElement {
  const { excerpt, place, path } = hit;
  const isTool = place?.role === 'tool' || place?.type === 'tool-use';
  const icon = isTool ? toolIcon(toolKindOf(place.tool ?? '')) : icons[place?.type ?? 'text'];
  const where =
    place === undefined || !isAlone
      ? ''
      : `${nameOf({ ...(place.root_title === undefined ? {} : { title: place.root_title }), opening: place.opening })} · ${shortTime(Date.parse(place.time), Date.now())}`;
  return (
    <>
      <Icon name={path === undefined ? (icon ?? 'raw') : 'file'} />
      <span className="cut">{hitTitle(hit)}</span>
      <span className="palette-where cut">{where}</span>
      <span className={isWritten(hit) ? 'palette-context' : 'palette-context palette-context-code'}>
        <span className="palette-before">{excerpt.before}</span>
        <mark>{excerpt.match}</mark>
        {excerpt.after}
      </span>
    </>
  );
}
