import { parseClientFrame, parseListJoin } from '@loom/sync';
import type { ClientFrame, ListJoinFrame } from '@loom/sync';

/** The address of the events that a frame asks for, and the id of their answer. */
export interface EventAddress {
  id: string;
  path: string;
}

/** Converts a replica's join to an address; `undefined` for a frame that cannot be said to a stream of events. */
export function addressOf(text: string): EventAddress | undefined {
  const said: unknown = JSON.parse(text);
  if (isListJoin(said)) return listAddress(parseListJoin(said));
  const frame = parseClientFrame(said);
  return frame.type === 'join' ? conversationAddress(frame) : undefined;
}

function isListJoin(said: unknown): boolean {
  return typeof said === 'object' && said !== null && 'type' in said && said.type === 'join-list';
}

function conversationAddress({ id, root, scope, leaf, cursor }: Extract<ClientFrame, { type: 'join' }>): EventAddress {
  return address('/api/v1/events', id, [
    ['root', root],
    ['path', scope !== 'whole' && 'path' in scope ? scope.path : undefined],
    ['subtree', scope !== 'whole' && 'subtree' in scope ? scope.subtree : undefined],
    ['leaf', leaf],
    ['after', placeOf(cursor)],
  ]);
}

function listAddress({ id, limit, cursor }: ListJoinFrame): EventAddress {
  return address('/api/v1/list/events', id, [
    ['limit', limit?.toString()],
    ['after', placeOf(cursor)],
  ]);
}

function address(path: string, id: string, fields: readonly [string, string | undefined][]): EventAddress {
  const given = [['join', id] as const, ...fields];
  const query = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
  return { id, path: `${path}?${query.join('&')}` };
}

function placeOf(cursor: { epoch: string; seq: number } | undefined): string | undefined {
  return cursor && `${cursor.seq}:${cursor.epoch}`;
}
