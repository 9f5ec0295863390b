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

/** Says in one line what may happen without a question. */
export function mayWords(mode: Mode, hasFolder: boolean): string {
  if (!hasFolder) return 'no folder: models only talk here';
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
