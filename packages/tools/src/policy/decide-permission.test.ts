import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalMode, PermissionRule } from '@loom/kernel';
import { readSimpleCommand } from '../command-line/simple-command.ts';
import { decidePermission } from './decide-permission.ts';
import type { PermissionRequest } from './decide-permission.ts';
import { coversPath } from './rule-match.ts';

const stored = (...rules: readonly PermissionRule[]) => rules.map((rule, index) => ({ id: String(index), rule }));
const allow = (command: string, more: Partial<PermissionRule> = {}): PermissionRule => ({
  tool: 'shell',
  command,
  effect: 'allow',
  ...more,
});
const deny = (command: string): PermissionRule => ({ tool: 'shell', command, effect: 'deny' });
const asks = (command: string): PermissionRule => ({ tool: 'shell', command, effect: 'ask' });

function decide(line: string, rules: readonly PermissionRule[], more: Partial<PermissionRequest> = {}) {
  return decidePermission({
    tool: 'shell',
    effect: 'runs',
    mode: 'ask',
    directory: '/code/app',
    command: readSimpleCommand(line),
    rules: stored(...rules),
    allowed: [],
    isSandboxed: true,
    ...more,
  });
}

const permission = (...given: Parameters<typeof decide>): string => decide(...given).permission;

test('[PM1] the first rule that matches decides, and a rule that denies wins over all others', () => {
  assert.equal(permission('npm test', [allow('npm *'), asks('npm test')]), 'run');
  assert.equal(permission('npm test', [asks('npm test'), allow('npm *')]), 'ask');
  assert.equal(permission('npm test', [allow('npm *'), deny('npm test')]), 'deny');
  assert.equal(permission('npm test', [], { allowed: [allow('npm test')] }), 'run');
  assert.equal(permission('npm test', [asks('npm *')], { allowed: [allow('npm test')] }), 'ask');
  assert.deepEqual(decide('npm test', [allow('x'), allow('npm test')]).rule, allow('npm test'));
});

test('[PM2] a rule covers its tool, folder, command, path and host, and nothing else', () => {
  assert.equal(permission('npm test', [{ tool: 'fetch_url', effect: 'allow' }]), 'ask');
  assert.equal(permission('npm test', [allow('npm test', { directory: '/code' })]), 'run');
  for (const directory of ['/code/ap', '/code/app/x', '/code/apps', 'code/app', '/code/app/../app/y']) {
    assert.equal(permission('npm test', [allow('npm test', { directory })]), 'ask', directory);
  }
  const web = (host: string, rule: Partial<PermissionRule>) =>
    decidePermission({
      tool: 'fetch_url',
      effect: 'runs',
      mode: 'ask',
      host,
      rules: stored({ tool: 'fetch_url', effect: 'allow', ...rule }),
      allowed: [],
    }).permission;
  assert.equal(web('a.example.org', { host: '*.example.org' }), 'run');
  assert.equal(web('A.Example.org.', { host: 'a.example.org' }), 'run');
  assert.equal(web('example.org', { host: '*.example.org' }), 'ask');
  assert.equal(web('badexample.org', { host: '*.example.org' }), 'ask');
  assert.equal(web('example.org', { command: 'x' }), 'ask');
  assert.ok(
    coversPath('src/**', 'src/a/b.ts') && coversPath('src/*.ts', 'src/[id].ts') && coversPath('a[1].ts', 'a[1].ts'),
  );
  assert.ok(
    !coversPath('src/*.ts', 'src/a/b.ts') &&
      !coversPath('src/**', 'src/../x') &&
      !coversPath('a[1].ts', 'a1.ts') &&
      !coversPath('src/**', 'lib/src/x'),
  );
});

test('[PM3] a command that wants the network runs by a rule only if the rule names a host', () => {
  assert.equal(permission('npm install', [allow('npm install')], { host: '*' }), 'ask');
  assert.equal(permission('npm install', [allow('npm install', { host: '*' })], { host: '*' }), 'run');
  assert.equal(permission('npm install', [allow('npm install', { host: '*' })]), 'run');
  assert.equal(permission('npm install', [{ tool: 'shell', effect: 'allow' }], { host: '*' }), 'ask');
  assert.equal(permission('npm install', [], { host: '*', mode: 'sandbox' }), 'ask');
});

test('[PM4] modes: plan changes nothing, ask asks, edit changes files in the folder, sandbox runs what is confined', () => {
  const changes = (mode: ApprovalMode) => permission('', [], { effect: 'changes', path: 'a', mode });
  const reads = (mode: ApprovalMode) => permission('', [], { effect: 'reads', path: 'a', mode });
  const modes = ['plan', 'ask', 'edit', 'sandbox'] as const;
  assert.deepEqual(modes.map(reads), ['run', 'run', 'run', 'run']);
  assert.deepEqual(modes.map(changes), ['deny', 'ask', 'run', 'run']);
  const runs = (isSandboxed: boolean) => modes.map((mode) => permission('a; b', [], { mode, isSandboxed }));
  assert.deepEqual(runs(true), ['ask', 'ask', 'ask', 'run']);
  assert.deepEqual(runs(false), ['deny', 'ask', 'ask', 'deny']);
  assert.equal(permission('', [], { effect: 'reads', path: '.env', concern: 'it may hold keys' }), 'ask');
  assert.equal(
    permission('', [], { effect: 'changes', path: '.git/hooks/x', mode: 'edit', concern: 'it may run' }),
    'ask',
  );
});

test('[PM5] a line that cannot be read never runs past a rule that denies or asks about commands', () => {
  for (const rule of [deny('rm *'), asks('rm *')]) {
    assert.equal(permission('echo; rm x', [rule], { mode: 'sandbox' }), 'ask');
    assert.equal(permission('echo; rm x', [rule, { tool: 'shell', effect: 'allow' }]), 'ask');
    assert.equal(permission('echo x', [rule], { mode: 'sandbox' }), 'run');
  }
  assert.equal(permission('/bin/rm x', [deny('rm *')], { mode: 'sandbox' }), 'deny');
});

test('[PM6] what cannot be undone is offered no rule, and a rule with a star does not cover it', () => {
  const danger = 'deletes files, which cannot be undone';
  const offer = [allow('rm -rf build')];
  assert.deepEqual(decide('rm -rf build', [], { danger, offer }), { permission: 'ask', reason: `It ${danger}.` });
  assert.equal(permission('rm -rf build', [allow('rm *')], { danger }), 'ask');
  assert.equal(permission('rm -rf build', [allow('rm -rf build')], { danger }), 'run');
  assert.deepEqual(decide('npm test', [], { offer: [allow('npm test')] }).rules, [allow('npm test')]);
});
