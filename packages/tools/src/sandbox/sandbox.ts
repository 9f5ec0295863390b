import { realpathSync } from 'node:fs';
import type { ProcessPort } from '@loom/kernel';
import { placeOfProgram, searchPathOutside } from '../folder/program-path.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { sandboxExecArguments } from './sandbox-exec.ts';
import { hiddenPaths } from './hidden-paths.ts';
import type { SecretPlaces } from './hidden-paths.ts';

/** The sandbox of this machine, or the reason that there is none. */
export interface SandboxState {
  readonly available: boolean;
  readonly kind?: 'bubblewrap' | 'sandbox-exec';
  /** The reason that there is none, or that it is to be trusted less. */
  readonly reason?: string;
  /** Sentences about what it keeps out. */
  readonly holds: readonly string[];
}

/** A command that is to be confined. */
export interface SandboxOrder {
  readonly directory: string;
  readonly command: readonly string[];
  readonly isReadOnly?: boolean;
  readonly hasNetwork?: boolean;
}

export interface Sandbox {
  /** Looks for the sandbox, once. */
  state(): Promise<SandboxState>;
  /** Returns the program and arguments that run a command confined. Only where the state says that it is available. */
  confine(order: SandboxOrder): string[];
}

export interface SandboxPorts extends SecretPlaces {
  readonly processes: Pick<ProcessPort, 'spawn'>;
  readonly platform: string;
  /** The program search path. */
  readonly path: string;
}

export function createSandbox(ports: SandboxPorts): Sandbox {
  let looking: Promise<SandboxState> | undefined;
  return {
    state: () => (looking ??= look(ports)),
    confine({ directory, command, ...limits }) {
      const plan = { ...limits, directory: realpathSync(directory), hidden: hiddenPaths(ports) };
      if (ports.platform === 'darwin') return [sandboxExec, ...sandboxExecArguments(plan, command)];
      return [bubblewrapOf(ports.path, plan.directory), ...bubblewrapArguments(plan, command)];
    },
  };
}

/** A model must not bring its own sandbox. */
function bubblewrapOf(path: string, directory: string): string {
  return placeOfProgram('bwrap', searchPathOutside(path, directory));
}

const sandboxExec = '/usr/bin/sandbox-exec';

const sandboxExecHolds = [
  'Only the folder of the conversation and temporary folders can be changed; everything else is read-only.',
  'No network, unless a person allowed it for the command.',
  'Keys, hidden files of your home folder and the data folder of Loom cannot be read.',
];

const bubblewrapHolds = [
  'Only the folder of the conversation and a private /tmp can be changed; everything else is read-only.',
  'No network, unless a person allowed it for the command.',
  'Keys, hidden files of your home folder and the data folder of Loom look empty.',
  'Programs outside of the sandbox can be neither seen nor stopped, and the sockets of /run and /tmp are out of reach.',
  'Hooks and settings of git in the folder are read-only.',
  'Everything that a command started ends with it.',
];

/** Tries bubblewrap with a command that does nothing: it is often installed where the system does not let it work. */
async function look({ processes, platform, path }: SandboxPorts): Promise<SandboxState> {
  if (platform !== 'linux' && platform !== 'darwin') {
    return { available: false, reason: `There is no sandbox for ${platform} yet.`, holds: [] };
  }
  const nothing = { directory: '/', isReadOnly: true, hidden: [] };
  const isMac = platform === 'darwin';
  const command = isMac
    ? [sandboxExec, ...sandboxExecArguments(nothing, ['/usr/bin/true'])]
    : [bubblewrapOf(path, '/'), ...bubblewrapArguments(nothing, ['true'])];
  const spawned = await processes.spawn({
    command,
    directory: '/',
    environment: { PATH: path },
    limits: { time: 10_000 },
  });
  if (!spawned.ok) {
    const isMissing = spawned.refusal.reason === 'program-not-found';
    const reason = isMissing
      ? `${isMac ? 'sandbox-exec is missing' : 'Bubblewrap is not installed (Debian: apt install bubblewrap)'}.`
      : spawned.refusal.message;
    return { available: false, reason, holds: [] };
  }
  let said = '';
  for await (const { bytes } of spawned.process.output) said += Buffer.from(bytes).toString();
  const { code } = await spawned.process.ended;
  if (code === 0 && isMac) {
    const reason = 'The profile for sandbox-exec has not been tested.';
    return { available: true, kind: 'sandbox-exec', reason, holds: sandboxExecHolds };
  }
  if (code === 0) return { available: true, kind: 'bubblewrap', holds: bubblewrapHolds };
  const why = said.trim().split('\n').at(-1) ?? '';
  return {
    available: false,
    reason: `${isMac ? 'sandbox-exec' : 'Bubblewrap'} is installed, but the system does not let it work here: ${why}`,
    holds: [],
  };
}
