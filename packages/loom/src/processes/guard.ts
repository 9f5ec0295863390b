import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';

/** A small process beside Loom that ends the programs Loom has started once Loom is gone, in whatever way. */
export interface Guard {
  /** Adds a process group, which is to be ended too. */
  add(group: number): void;
  /** Removes a group that is gone: its number may be given to another one. */
  remove(group: number): void;
  /** Lets it end. It ends everything that is left first. */
  release(): void;
}

/**
 * Starts a guard, or resolves to `undefined` where that is not possible. Its input is a pipe that only Loom holds: the system closes it with
 * Loom's death, `kill -9` included. `lost` is called if the guard ends while it is needed.
 */
export async function startGuard(token: string, lost: () => void): Promise<Guard | undefined> {
  const child = spawn('/bin/sh', ['-c', script, 'loom-guard', token], {
    // It leads a separate session, so that signals of a terminal to Loom's group do not reach it. Its environment has no mark.
    detached: true,
    env: { PATH: ['/usr/bin:/bin', ...trustedPlaces()].join(':'), LC_ALL: 'C' },
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  if (!(await hasStarted(child))) return undefined;
  let isReleased = false;
  // The exit event reports a guard that is gone.
  child.stdin.on('error', () => {});
  child.on('exit', () => {
    if (!isReleased) lost();
  });
  // The guard does not keep Loom alive.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    add: (group) => void child.stdin.write(`+${group}\n`),
    remove: (group) => void child.stdin.write(`-${group}\n`),
    release() {
      isReleased = true;
      child.stdin.end();
    },
  };
}

/** Returns the places of the search path that no project can put programs in: `npx` and `npm run` put others in front. */
function trustedPlaces(): string[] {
  return (process.env['PATH'] ?? '')
    .split(':')
    .filter((place) => place.startsWith('/') && !/\/node_modules\/\.bin\/?$/u.test(place));
}

function hasStarted(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

/**
 * Keeps the groups that it is given. At the end of its input it asks them, and every process with the token in its environment, to end, and
 * kills the rest a second later: also those that have left their group, where the system has /proc.
 */
const script = `
token=$1
trap '' HUP INT TERM
groups=' '
while IFS= read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups$group " ;;
    -*) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
marked() {
  for file in $(grep -lsF -- "$token" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    echo "\${pid%/environ}"
  done
}
strike() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for pid in $(marked); do kill -s "$1" "$pid"; done
}
isLeft() {
  for group in $groups; do kill -s 0 -- "-$group" && return 0; done
  [ -n "$(marked)" ]
}
exec 2>/dev/null
isLeft || exit 0
strike TERM
for tenth in 1 2 3 4 5 6 7 8 9 10; do
  isLeft || exit 0
  sleep 0.1 || { sleep 1; break; }
done
for round in 1 2 3 4 5 6 7 8 9 10; do
  strike KILL
  isLeft || exit 0
done
`;
