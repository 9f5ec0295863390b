import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coversWords, readCommandPattern } from '../command-line/command-pattern.ts';
import { readSimpleCommand } from '../command-line/simple-command.ts';
import { decidePermission } from '../policy/decide-permission.ts';
import { codeInArguments } from './code-in-arguments.ts';
import { interactiveAdvice } from './interactive.ts';
import { offeredRule } from './offered-rule.ts';

function offered(line: string): string {
  const read = readSimpleCommand(line);
  assert.ok(read.ok);
  const { command = '' } = offeredRule(read.words, false);
  const pattern = readCommandPattern(command);
  assert.ok(pattern !== undefined && coversWords(pattern, read.words), 'it covers what it was offered for');
  return command;
}

test('[PM10] the rule for a command is the command itself; tests and builds may have other arguments', () => {
  assert.equal(offered('npm test'), 'npm test *');
  assert.equal(offered('npm run build -- --watch'), 'npm run build *');
  assert.equal(offered('npm run'), 'npm run');
  assert.equal(offered('npm run -s x'), 'npm run -s x');
  assert.equal(offered('npm install left-pad'), 'npm install left-pad');
  assert.equal(offered('git log --oneline'), 'git log --oneline');
  assert.equal(offered(`grep -r 'a b' src`), `grep -r 'a b' src`);
  assert.equal(offered('echo "*"'), `echo '*'`);
  assert.deepEqual(offeredRule(['npm', 'install'], true), {
    tool: 'shell',
    command: 'npm install',
    host: '*',
    effect: 'allow',
  });
});

test('[SH7] commands that would wait for a person are refused with advice, and their quiet forms are not', () => {
  for (const line of [
    'vim a.txt',
    'less x',
    'git rebase -i HEAD~2',
    'git add -p',
    'top',
    'ssh host',
    'python3',
    'sudo ls',
    'cd x && nano y',
    '/usr/bin/vi x',
    'git log | less',
    'crontab -e',
    'node -i',
  ]) {
    assert.match(interactiveAdvice(line) ?? '', /would wait for a person\. \w+/u, line);
  }
  for (const line of [
    'top -b -n 1',
    'ssh host ls -l',
    'python3 x.py',
    'git rebase main',
    'git commit -m x',
    'sudo -n ls',
    'echo 1 | python3',
    'git log',
    'node -e 1',
    'npm test',
    'grep less x',
    'emacs --batch x',
  ]) {
    assert.equal(interactiveAdvice(line), undefined, line);
  }
});

test('[PM13] a rule that leaves arguments open does not cover those that hand over a program or code', () => {
  for (const line of [
    "make test --eval='$(shell evil)'",
    'make build SHELL=/tmp/evil',
    "make build 'X=$(shell evil)'",
    "go test -exec 'sh -c evil' ./...",
    'go build -toolexec=evil',
    `cargo test --config 'target.x.runner="evil"'`,
    'npm test -- --import=data:text/javascript,evil',
    "npm run build -- -e 'evil()'",
    'npm run build --node-options=--import=x',
    'npm test --prefix ../other',
    'mvn test exec:exec -Dexec.executable=sh',
    './gradlew test -I evil.gradle',
    'pytest -p evil',
  ]) {
    const read = readSimpleCommand(line);
    assert.ok(read.ok, line);
    const danger = codeInArguments(read.words) ?? assert.fail(line);
    const request = {
      tool: 'shell',
      effect: 'runs' as const,
      mode: 'ask' as const,
      command: read,
      rules: [{ id: '1', rule: { ...offeredRule(read.words, false), command: `${read.words[0]} *` } }],
      allowed: [],
      isSandboxed: true,
    };
    assert.equal(decidePermission(request).permission, 'run', line);
    assert.equal(decidePermission({ ...request, danger }).permission, 'ask', line);
  }
  for (const line of [
    'npm test -- --watch src/a.test.ts',
    'make test V=1',
    'go test -run Name ./...',
    'cargo test --release',
    'python -m pytest -k name',
    'ls -r',
    'git status -p',
  ]) {
    const read = readSimpleCommand(line);
    assert.equal(read.ok ? codeInArguments(read.words) : line, undefined, line);
  }
});
