import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { testProcesses } from '../testing/test-processes.ts';
import { commandEnvironment } from './environment.ts';
import { plantedFiles, removePlanted } from './git-folders.ts';
import { pour, spawnShell } from '../shell/spawn-shell.ts';
import { createSandbox } from './sandbox.ts';
import type { Sandbox, SandboxState } from './sandbox.ts';

const processes = testProcesses();
const path = process.env['PATH'] ?? '/usr/bin:/bin';
let state: SandboxState;

before(async () => {
  state = await createSandbox({ processes, platform: process.platform, path, home: '/nowhere' }).state();
});

interface Stage {
  home: string;
  directory: string;
  sandbox: Sandbox;
  /** Runs a script and returns what it prints; `prefix` is the program that runs the sandbox. */
  run: (
    script: string,
    options?: { isOpen?: boolean; hasNetwork?: boolean; isReadOnly?: boolean; prefix?: string[] },
  ) => Promise<string>;
}

/** A home with keys, a data folder and a project. Not in /tmp, which is empty in every sandbox, even if the checkout is there. */
function createStage(t: TestContext): Stage {
  const cache = join(import.meta.dirname, '../../../../.cache');
  mkdirSync(cache, { recursive: true });
  const home = mkdtempSync(join(/^\/(?:var\/)?tmp\//u.test(cache) ? '/opt' : cache, 'loom-sandbox-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folders = [
    '.ssh',
    '.aws',
    '.config/gh',
    '.config/git',
    '.cargo/bin',
    '.local/share/keyrings',
    '.local/share/atuin',
    '.local/share/mise',
    '.local/state',
    '.cache/huggingface',
    '.cache/git',
    '.cache/pip',
    '.ivy2',
    '.loom',
    'code/.git/hooks',
    'other',
  ];
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  for (const file of secrets) writeFileSync(join(home, file), 'a secret\n');
  for (const file of open) writeFileSync(join(home, file), 'open\n');
  symlinkSync(join(home, '.ssh'), join(home, 'other/keys'));
  const directory = join(home, 'code');
  for (const folder of [home, directory, join(directory, '.git'), join(home, 'other')]) chmodSync(folder, 0o777);
  const sandbox = createSandbox({ processes, platform: process.platform, path, home, dataDir: join(home, '.loom') });
  return {
    home,
    directory,
    sandbox,
    async run(script, { isOpen = false, prefix = [], ...limits } = {}) {
      const bash = ['bash', '-c', script];
      const command = isOpen ? bash : [...prefix, ...sandbox.confine({ directory, command: bash, ...limits })];
      const environment = commandEnvironment({ PATH: path, HOME: home, API_KEY: 'a secret' }, true);
      const spawned = await processes.spawn({ command, directory, environment });
      assert.ok(spawned.ok);
      let text = '';
      for await (const { bytes } of spawned.process.output) text += Buffer.from(bytes).toString();
      await spawned.process.ended;
      return text;
    },
  };
}

const secrets = [
  '.ssh/id_rsa',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  '.netrc',
  '.npmrc',
  '.cargo/credentials.toml',
  '.local/share/keyrings/x',
  '.local/share/atuin/key',
  '.local/state/x',
  '.config/git/credentials',
  '.cache/git/x',
  '.cache/huggingface/token',
  '.ivy2/.credentials',
  '.loom/config.toml',
  '.bash_history',
];
const open = [
  '.gitconfig',
  '.config/git/config',
  '.cargo/bin/tool',
  '.local/share/mise/x',
  '.cache/pip/x',
  'other/file',
  'code/.git/config',
];

/** The ways in which the same command runs: as this user, and without rights where this one has them. */
function prefixes(): string[][] {
  if (process.getuid?.() !== 0) return [[]];
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
  } catch {
    return [[]];
  }
  return [[], ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']];
}

const skip = (t: TestContext): boolean => {
  if (!state.available) t.skip(state.reason ?? 'there is no sandbox');
  return !state.available;
};

test('[SD1] only the folder and a private /tmp can be changed, and in a read-only sandbox only the latter', async (t) => {
  if (skip(t)) return;
  for (const prefix of prefixes()) {
    const { run, home, directory } = createStage(t);
    const outside = join(home, 'other/file');
    const mark = `/tmp/loom-sandbox-${process.pid}`;
    const script = `
      echo x 2>/dev/null > inside && echo inside
      echo x 2>/dev/null > ${mark} && echo tmp
      (echo x > ${outside}) 2>/dev/null && echo outside
      (echo x > ${home}/new) 2>/dev/null && echo home
      ln ${outside} link 2>/dev/null && echo link
      rm -f ${outside} 2>/dev/null && echo removed
      mount -o remount,rw / 2>/dev/null && echo remounted
      (: >> /proc/sys/kernel/core_pattern) 2>/dev/null && echo core pattern
      (: >> /proc/sysrq-trigger) 2>/dev/null && echo request
      (echo evil > .git/hooks/pre-commit) 2>/dev/null && echo hook
      (echo evil > .git/config) 2>/dev/null && echo config
      echo x 2>/dev/null > .git/index && echo git`;
    assert.equal(await run(script, { prefix }), 'inside\ntmp\ngit\n');
    assert.equal(readFileSync(outside, 'utf8'), 'open\n');
    assert.ok(existsSync(join(directory, 'inside')) && !existsSync(mark));
    assert.equal(await run(script, { prefix, isReadOnly: true }), 'tmp\n');
    assert.match(
      await run('(echo x > ../other/file) && echo outside', { isOpen: true }),
      /outside/u,
      'without it this works',
    );
  }
});

test('[SD6] a worktree can be committed to, and a file that pretends to be one opens nothing', async (t) => {
  if (skip(t)) return;
  const { run, home, directory } = createStage(t);
  rmSync(join(directory, '.git'), { recursive: true });
  rmSync(directory, { recursive: true });
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', join(home, 'other'), '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      stdio: 'ignore',
    });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', directory);
  const commit =
    'export HOME=/nowhere; git -c user.name=a -c user.email=a@b -c safe.directory="*" commit -q --allow-empty -m second && git -c safe.directory="*" log --format=%s';
  assert.equal(await run(commit), 'second\nfirst\n');
  const repository = join(home, 'other/.git');
  assert.equal(
    await run(
      `(: >> ${repository}/config) 2>/dev/null && echo config; (: >> ${repository}/hooks/x) 2>/dev/null && echo hook`,
    ),
    '',
  );
  const fake = join(home, '.aws');
  writeFileSync(join(directory, '.git'), `gitdir: ${fake}\n`);
  writeFileSync(join(fake, 'commondir'), '.\n');
  writeFileSync(join(fake, 'gitdir'), `${join(home, 'elsewhere/.git')}\n`);
  assert.equal(await run(`(: >> ${fake}/credentials) 2>/dev/null && cat ${fake}/credentials`), '');
});

test('[SD7] no other repository can take the place of the one in the folder, nor of its worktrees and submodules', async (t) => {
  if (skip(t)) return;
  const { run, directory } = createStage(t);
  rmSync(join(directory, '.git'), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'ignore' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', '../beside');
  rmSync(join(directory, '.git/hooks'), { recursive: true });
  const module = join(directory, '.git/modules/lib/inner');
  execFileSync('git', ['init', '-q', '--bare', module]);
  const attempts = [
    'mv .git moved',
    'mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit',
    'mv .git/worktrees moved',
    'mv .git/worktrees/beside moved',
    'echo /evil > .git/worktrees/beside/commondir',
    'mv .git/modules/lib/inner moved',
    'echo evil > .git/modules/lib/inner/config',
    'echo evil > .git/modules/lib/inner/hooks/x',
  ];
  const script = attempts.map((attempt, index) => `(${attempt}) 2>/dev/null && echo ${index}`).join('\n');
  assert.equal(await run(script), '');
  await run('mv .git elsewhere', { isOpen: true });
  assert.ok(existsSync(join(directory, 'elsewhere/HEAD')), 'without a sandbox it is moved');
});

test('[SD7] a file that leads git elsewhere is removed after the command that planted it, and others stay', (t) => {
  const { directory } = createStage(t);
  const module = join(directory, '.git/modules/lib');
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, 'HEAD'), '');
  writeFileSync(join(module, 'commondir'), '.\n');
  const before = plantedFiles(directory);
  assert.deepEqual(before, [join(module, 'commondir')]);
  writeFileSync(join(directory, '.git/commondir'), '/evil\n');
  assert.deepEqual(removePlanted(directory, before), [join(directory, '.git/commondir')]);
  assert.deepEqual(plantedFiles(directory), before);
});

test('[SD7] settings of a worktree that git would read are removed too, in the repository and in the notes about a worktree', (t) => {
  const { home, directory } = createStage(t);
  rmSync(join(directory, '.git'), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'ignore' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('config', 'extensions.worktreeConfig', 'true');
  git('worktree', 'add', '-q', '../beside');
  for (const place of [directory, join(home, 'beside')]) {
    const before = plantedFiles(place);
    const own = execFileSync('git', ['-C', place, 'rev-parse', '--absolute-git-dir'], { encoding: 'utf8' }).trim();
    writeFileSync(join(own, 'config.worktree'), '[core]\nfsmonitor = evil\n');
    assert.deepEqual(removePlanted(place, before), [join(own, 'config.worktree')]);
    assert.deepEqual(plantedFiles(place), before);
  }
});

test('[SD7] a repository that a command makes in the folder names no program once the command has ended', async (t) => {
  if (skip(t)) return;
  const { home, directory, sandbox } = createStage(t);
  rmSync(join(directory, '.git'), { recursive: true });
  const make =
    'git init -q -b main; git config core.fsmonitor "touch trapped"; git config user.name A; echo x > .git/hooks/post-commit';
  const started = await spawnShell(
    { sandbox: () => Promise.resolve(sandbox), environment: { PATH: path, HOME: home } },
    processes,
    { directory, parameters: { command: make }, isReadOnly: false, needsSandbox: true },
  );
  assert.ok(started.ok);
  await pour(started.process, () => Promise.resolve());
  const config = join(directory, '.git/config');
  assert.deepEqual(await started.removed, [
    join(directory, '.git/hooks/post-commit'),
    `${config}: fsmonitor = touch trapped`,
  ]);
  assert.match(readFileSync(config, 'utf8'), /name = A/u);
  // The next command finds it as part of the folder.
  const again = await spawnShell(
    { sandbox: () => Promise.resolve(sandbox), environment: { PATH: path, HOME: home } },
    processes,
    { directory, parameters: { command: 'git config core.fsmonitor x' }, isReadOnly: false, needsSandbox: true },
  );
  assert.ok(again.ok);
  await pour(again.process, () => Promise.resolve());
  assert.deepEqual(await again.removed, []);
  assert.doesNotMatch(readFileSync(config, 'utf8'), /fsmonitor/u);
});

test('[SD8] a bubblewrap that a model has written does not run', async (t) => {
  if (skip(t)) return;
  const { home, directory } = createStage(t);
  writeFileSync(join(directory, 'bwrap'), '#!/bin/sh\necho evil\n');
  chmodSync(join(directory, 'bwrap'), 0o755);
  for (const front of [directory, '.', '']) {
    const box = createSandbox({ processes, platform: process.platform, path: `${front}:${path}`, home });
    const [program = ''] = box.confine({ directory, command: ['true'] });
    assert.ok(program.startsWith('/') && !program.startsWith(directory), program);
  }
});

test('[SD9] the root as the folder leaves other processes out of sight, and folders of the system itself are refused', async (t) => {
  if (skip(t)) return;
  const { sandbox, directory } = createStage(t);
  const script = `cat /proc/${process.pid}/environ >/dev/null 2>&1 && echo environment; (: >> /proc/sys/kernel/core_pattern) 2>/dev/null && echo core; : > ${directory}/written && echo written`;
  const command = sandbox.confine({ directory: '/', command: ['bash', '-c', script] });
  const spawned = await processes.spawn({ command, directory: '/', environment: { PATH: path } });
  assert.ok(spawned.ok);
  let text = '';
  for await (const { bytes } of spawned.process.output) text += Buffer.from(bytes).toString();
  assert.equal(text, 'written\n');
  for (const system of ['/proc', '/proc/self', '/dev', '/dev/shm', '/sys'])
    assert.throws(() => sandbox.confine({ directory: system, command: ['true'] }), /belongs to the system/u, system);
});

test('[SD10] bubblewrap leaves nothing behind in the folders of the person', async (t) => {
  if (skip(t)) return;
  const { home, directory, sandbox } = createStage(t);
  const tree = (): string[] => readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted();
  const before = tree();
  const runIn = async (folder: string, isReadOnly: boolean, spoil: () => void = () => {}): Promise<string> => {
    const command = sandbox.confine({ directory: folder, command: ['true'], isReadOnly });
    spoil();
    const spawned = await processes.spawn({ command, directory: folder, environment: { PATH: path } });
    assert.ok(spawned.ok);
    let text = '';
    for await (const { bytes } of spawned.process.output) text += Buffer.from(bytes).toString();
    return text;
  };
  for (const folder of [directory, home, join(home, 'other')]) {
    for (const isReadOnly of [false, true]) assert.equal(await runIn(folder, isReadOnly), '');
    assert.deepEqual(tree(), before, folder);
  }
  // Something hidden is gone when bubblewrap comes to it: the command does not run, and nothing takes the place.
  for (const gone of ['.netrc', '.ssh']) {
    const said = await runIn(home, false, () => rmSync(join(home, gone), { recursive: true }));
    assert.match(said, /No such file or directory/u);
    assert.ok(!existsSync(join(home, gone)), gone);
  }
});

test('[SD2] keys, hidden files of the home and the data folder look empty; toolchains and the settings of git do not', async (t) => {
  if (skip(t)) return;
  for (const prefix of prefixes()) {
    const { run, home } = createStage(t);
    const script = [...secrets, ...open, 'other/keys/id_rsa']
      .map((file) => `cat ${join(home, file)} 2>/dev/null`)
      .join('; ');
    assert.equal(await run(script, { prefix }), 'open\n'.repeat(open.length));
    const held = await run(script, { isOpen: true });
    assert.equal(held.match(/secret/gu)?.length, secrets.length + 1, 'without it all can be read');
    assert.equal(await run('env | grep -c "a secret"', { prefix }), '0\n');
  }
});

test('[SD3] nothing is reached over the network or through sockets, unless the network is allowed', async (t) => {
  if (skip(t)) return;
  const { run } = createStage(t);
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push('connected');
    socket.end('hello\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const script = `(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3) 2>/dev/null || echo no`;
  assert.equal(await run(script), 'no\n');
  assert.deepEqual(heard, []);
  assert.equal(await run(script, { hasNetwork: true }), 'hello\n');
  assert.equal(await run('ls -A /run /var/tmp 2>/dev/null | grep -v : | grep -v "^$" | grep -v current-system'), '');
});

test('[SD4] other processes can be neither seen nor stopped, and what a command leaves behind ends with it', async (t) => {
  if (skip(t)) return;
  const { run, directory } = createStage(t);
  const own = process.pid;
  const script = `
    kill -0 ${own} 2>/dev/null && echo signal
    cat /proc/${own}/environ >/dev/null 2>&1 && echo environment
    ls /proc | grep -c '^[0-9]*$' | { read count; [ "$count" -lt 12 ] || echo "$count processes"; }
    env -i setsid sh -c 'while :; do echo x > beat; sleep 0.01; done' &
    until [ -e beat ]; do sleep 0.01; done; echo end`;
  assert.equal(await run(script), 'end\n');
  rmSync(join(directory, 'beat'));
  assert.equal(await run('sleep 0.05; [ -e beat ] || echo gone'), 'gone\n');
});

test('[SD5] where there is no sandbox, the state says why', async (t) => {
  const missing = await createSandbox({ processes, platform: 'linux', path: '/nowhere', home: '/nowhere' }).state();
  assert.ok(!missing.available && /not installed/u.test(missing.reason ?? ''), missing.reason ?? '');
  const refusing = {
    spawn: (order: Parameters<typeof processes.spawn>[0]) =>
      processes.spawn({
        ...order,
        command: ['sh', '-c', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1'],
      }),
  };
  const container = await createSandbox({ processes: refusing, platform: 'linux', path, home: '/nowhere' }).state();
  assert.ok(!container.available && /No permissions to create new namespace/u.test(container.reason ?? ''));
  const { sandbox } = createStage(t);
  assert.deepEqual(sandbox.confine({ directory: '/', command: ['x'] }).slice(-3), ['/', '--', 'x']);
  assert.equal((await createSandbox({ processes, platform: 'win32', path, home: '/' }).state()).available, false);
});
