import type { KeyboardEvent } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { nameOf } from './navigator-rows.ts';
import type { NavigatorGroup, NavigatorRow } from './navigator-rows.ts';

interface ListKeysParts {
  readonly rows: readonly NavigatorRow[];
  readonly toggle: (group: NavigatorGroup, isOpen: boolean) => void;
}

/** The keys of the navigator's list: arrows walk, → and ← open and fold a group, * pins, # archives, F2 renames, / filters. */
export function useListKeys({ rows, toggle }: ListKeysParts): (event: KeyboardEvent<HTMLElement>) => void {
  const { attempt, away, go, pins, preferences } = useLoom();
  return (event) => {
    const { key, target, currentTarget } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
    // A menu of a row takes its own keys.
    if (target.closest('[popover], dialog[open] [popover]') !== null) return;
    const group = target.closest('[data-group]')?.getAttribute('data-group') ?? undefined;
    const id = target.closest('[data-row]')?.getAttribute('data-row');
    const row = rows.find((each) => each.kind === 'conversation' && each.item.id === id);
    const item = row?.kind === 'conversation' ? row.item : undefined;
    const letters = preferences.hasLetterKeys.getSnapshot();
    const done = (): void => event.preventDefault();
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      step(currentTarget, target, key === 'ArrowDown' ? 1 : -1);
      done();
    } else if ((key === 'ArrowRight' || key === 'ArrowLeft') && group !== undefined) {
      const found = rows.find((each) => each.kind === 'group' && each.group.id === group);
      if (found?.kind === 'group') toggle(found.group, key === 'ArrowRight');
      done();
    } else if (key === 'ArrowLeft' && item !== undefined) {
      const at = rows.findIndex((each) => each.kind === 'conversation' && each.item.id === item.id);
      const head = rows.slice(0, at).findLast((each) => each.kind === 'group');
      if (head?.kind === 'group')
        currentTarget.querySelector<HTMLElement>(`[data-group="${CSS.escape(head.group.id)}"]`)?.focus();
      done();
    } else if (key === '/' && letters) {
      go({ name: 'conversations' });
      done();
    } else if (item !== undefined && key === 'F2') {
      target.closest('[data-row]')?.querySelector<HTMLElement>('[data-rename]')?.click();
      done();
    } else if (item !== undefined && letters && (key === '*' || key === '#')) {
      const acted = [{ id: item.id, name: nameOf(item) }];
      attempt(() => (key === '*' ? pins.toggle([item.id]) : away.archive(acted)));
      done();
    }
  };
}

/** Moves the focus to the next row, by its link or its button. */
function step(list: HTMLElement, from: HTMLElement, by: 1 | -1): void {
  const stops = [...list.querySelectorAll<HTMLElement>('a.conversation, a.branch, .group-button, .more-button')];
  const at = stops.indexOf(from);
  const next = stops[at === -1 ? 0 : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
