import { sourceName } from '../conversation/who.ts';
import { isAgent, providerName } from '../models/model-words.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useWorkHost } from './work-host.ts';

/** An agent that is at work in a folder, for another conversation. */
export interface OtherAtWork {
  /** The name as its maker writes it. */
  readonly title: string;
  readonly turn: string;
}

/** A turn on the board, as far as it says who works where. */
export interface RowAtWork {
  readonly id: string;
  readonly root: string;
  readonly provider: string;
  readonly state: string;
  readonly followed?: true;
  readonly directory?: string;
}

/** Returns the first agent that is at work in a folder, above or below it, for another conversation than `root`. */
export function otherAtWork(
  rows: readonly RowAtWork[],
  { folder, root }: { folder: string; root: string | undefined },
): OtherAtWork | undefined {
  const row = rows.find(
    ({ root: other, provider, state, followed, directory = '' }) =>
      other !== root &&
      (state === 'running' || state === 'waiting') &&
      (isAgent(provider) || followed === true) &&
      (isWithin(directory, folder) || isWithin(folder, directory)),
  );
  if (row === undefined) return undefined;
  const { provider, followed, id: turn } = row;
  return { title: followed === true ? sourceName(provider) : providerName(provider), turn };
}

function isWithin(path: string, folder: string): boolean {
  return folder !== '' && (path === folder || path.startsWith(`${folder.replace(/[/\\]+$/u, '')}/`));
}

/** Asks whether another agent is at work in a folder, when the folder, the agent or the conversation becomes another one. */
export function useOtherAtWork(
  agent: string | undefined,
  folder: string,
  root: string | undefined,
): OtherAtWork | undefined {
  const { call } = useWorkHost();
  const isAsked = agent !== undefined && folder !== '';
  const { value } = useAsked(isAsked ? `${agent} ${folder} ${root ?? ''}` : undefined, () => call('board.list', {}));
  return value === undefined ? undefined : otherAtWork(value.items, { folder, root });
}
