import type { IconName } from '../ui/Icon.tsx';

/** The extent of what tools do in a conversation without asking. */
export type Mode = 'plan' | 'ask' | 'edit' | 'sandbox';

interface ModeWords {
  readonly mode: Mode;
  readonly name: string;
  readonly icon: IconName;
  readonly about: string;
}

/** The modes, the most careful one first. */
export const modes: readonly ModeWords[] = [
  { mode: 'plan', name: 'Plan only', icon: 'eye', about: 'Reads. Proposes a plan before anything changes.' },
  {
    mode: 'ask',
    name: 'Ask before changes',
    icon: 'shield',
    about: 'Reads freely. Asks before each change and each command.',
  },
  {
    mode: 'edit',
    name: 'Edit in this folder',
    icon: 'change',
    about: 'Changes files in its folder. Asks before commands that no rule allows.',
  },
  {
    mode: 'sandbox',
    name: 'Sandbox',
    icon: 'archive',
    about: 'Everything inside the sandbox without asking. Asks before leaving it.',
  },
];

export function isMode(value: unknown): value is Mode {
  return modes.some(({ mode }) => mode === value);
}

export function modeName(mode: Mode): string {
  return modes.find((one) => one.mode === mode)?.name ?? mode;
}

/** Returns what a mode lets happen: in an agent, what its program makes of it. */
export function modeAbout(mode: Mode, agent?: ModesOfAgent): string {
  const own = agent?.modes?.find(({ name }) => name === mode)?.about;
  const usual = modes.find((one) => one.mode === mode)?.about ?? '';
  return own === undefined ? usual : sentence(own);
}

/** The modes of an agent, in the words of its provider. */
export interface ModesOfAgent {
  readonly title: string;
  readonly modes?: readonly { readonly name: string; readonly about?: string | undefined }[] | undefined;
}

/** Begins with a capital, and ends with a full stop. */
function sentence(words: string): string {
  const begun = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/u.test(begun) ? begun : `${begun}.`;
}

/** Says in one line what may happen without a question. */
export function mayWords(mode: Mode, hasFolder: boolean, agent?: ModesOfAgent): string {
  if (!hasFolder) {
    return agent === undefined
      ? 'no folder: models only talk here'
      : `no folder: ${agent.title} gets an empty one for this conversation`;
  }
  const own = agent?.modes?.find(({ name }) => name === mode)?.about;
  if (own !== undefined) return own.slice(0, 1).toLowerCase() + own.slice(1).replace(/\.$/u, '');
  switch (mode) {
    case 'plan':
      return 'reads this folder, changes nothing';
    case 'ask':
      return 'asks before each change and each command';
    case 'edit':
      return 'may change files in this folder without asking';
    case 'sandbox':
      return 'may do everything inside the sandbox without asking';
  }
}
