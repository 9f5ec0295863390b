import { FolderError } from '@loom/data-folder/files';
import type { Refusal, ResultOf } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import type { LoomError } from '../command-line/failure.ts';
import { titleOf } from '../forest-view/node-line.ts';
import { listConversations, listIds } from './conversations.ts';
import type { Loom } from './loom.ts';
import { refusalError } from '../words/refusal-error.ts';

/** A node and its conversation; the conversation itself is a place too. */
export type Place = ResultOf<'id.resolve'>;

/** The node or root that a command is to change: a name that several have is refused, with what to say instead. */
export async function findPlace(loom: Loom, word: string): Promise<Place> {
  const resolution = await loom.call('id.resolve', { text: word });
  if (resolution.ok) return resolution.value;
  throw await unresolved(loom, resolution.refusal);
}

/**
 * Finds the node or root that a command only shows: if several conversations have a node's name, the one in the conversation that was
 * changed last. `note` receives a remark on the choice.
 */
export async function findPlaceToShow(loom: Loom, word: string, note: (text: string) => void): Promise<Place> {
  const resolution = await loom.call('id.resolve', { text: word });
  if (resolution.ok) return resolution.value;
  const { refusal } = resolution;
  if (refusal.reason !== 'ambiguous-id') throw await unresolved(loom, refusal);
  const places = refusal.ids.map((id) => ({ root: id.slice(0, id.lastIndexOf('/')), node: id }));
  const latest = word.includes('/') ? undefined : await latestOf(loom, places);
  if (latest === undefined) throw await unresolved(loom, refusal);
  const name = nameAmong(await listIds(loom), latest.node);
  note(`${word} exists in ${places.length} conversations. This is ${name}, in the one that was changed last.\n`);
  return latest;
}

/** Refuses a folder without any conversation: it may be the wrong one, and that is what a person has to know. */
export async function requireConversations(loom: Loom): Promise<void> {
  const { dataDir } = loom;
  if ((await listIds(loom)).length === 0) throw new FolderError({ code: 'no-data', folder: dataDir });
}

/** Returns the place whose conversation was changed last; `undefined` if all places are in one. */
export async function latestOf<Found extends { root: string }>(
  loom: Loom,
  places: readonly Found[],
): Promise<Found | undefined> {
  const found = new Map(places.map((place) => [place.root, place]));
  if (found.size < places.length) return undefined;
  const last = (await listConversations(loom)).find(({ id }) => found.has(id));
  return last && found.get(last.id);
}

/** A name for a node that a command can be given as it is, now and when there are more conversations. */
export async function nameInCommands(loom: Loom, id: string): Promise<string> {
  return nameAmong(await listIds(loom), id);
}

/** The end of a root's id that no other has, and the node's name: `x2sv/node-3`. The only root need not be named. */
export function nameAmong(roots: readonly string[], id: string): string {
  const end = id.indexOf('/');
  if (end === -1) return id;
  const [root, name] = [id.slice(0, end), id.slice(end + 1)];
  if (roots.length === 1) return name;
  let length = shortestEnd;
  while (length < root.length && roots.some((other) => other !== root && other.endsWith(root.slice(-length))))
    length += 1;
  return `${root.slice(-length)}/${name}`;
}

const shortestEnd = 4;

/** The refusal of a name as a failure, with what each candidate is. */
async function unresolved(loom: Loom, refusal: Refusal): Promise<LoomError> {
  if (refusal.reason !== 'ambiguous-id') {
    await requireConversations(loom);
    return refusalError(refusal);
  }
  const roots = await listIds(loom);
  const candidates: [string, string][] = [];
  for (const id of refusal.ids) {
    const [root = id] = id.split('/');
    const state = await loom.peek(root);
    candidates.push([nameAmong(roots, id), state === undefined ? '' : shorten(showControls(titleOf(state)), 50)]);
  }
  return refusalError(refusal, { candidates });
}
