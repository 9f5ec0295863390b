import type { ReactElement } from 'react';
import type { Row } from '../conversation/rows.ts';
import { BlockRow } from './BlockRow.tsx';
import { HiddenNote } from './kinds/HiddenNote.tsx';
import { ToolCard } from './tools/ToolCard.tsx';
import { ToolGroup } from './tools/ToolGroup.tsx';

/** A row with content. */
export function ContentRow({ row }: { row: Row }): ReactElement | null {
  switch (row.kind) {
    case 'block':
      return <BlockRow row={row} />;
    case 'tool':
      return <ToolCard row={row} />;
    case 'tools':
      return <ToolGroup row={row} />;
    case 'hidden':
      return <HiddenNote row={row} />;
    case 'header':
    case 'fork':
    case 'day':
    case 'context-start':
    case 'turn-end':
    case 'loading':
    case 'notice':
      return null;
  }
}
