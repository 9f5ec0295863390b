import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandWords } from './command-words.ts';

const base = { folder: '/home/user/code/tides' };

test('[WB380] a command is told without the step into the folder of the conversation, and other folders from there', () => {
  const told = (command: string): string => commandWords(command, base);
  assert.equal(told('cd /home/user/code/tides && npm test'), 'npm test');
  assert.equal(told('cd "/home/user/code/tides/" && npm test && git push'), 'npm test && git push');
  assert.equal(told('cd /home/user/code/tides; npm test'), 'npm test');
  assert.equal(told("cd '/home/user/code/tides/packages/web' && npm test"), 'cd packages/web && npm test');
  assert.equal(told('cd /home/user/other && ls'), 'cd ~/other && ls');
  assert.equal(told('cd "/home/user/my notes" && ls'), 'cd "~/my notes" && ls');
});

test('[WB380] a command that says more with its first step stays as it is', () => {
  const same = [
    'npm test',
    'cd /home/user/code/tides',
    'cd /home/user/code/tides && ',
    'cd /home/user/code/tides || exit 1',
    'cd $HOME/code/tides && npm test',
    'cd ~/code/tides && npm test',
    'cd /srv/data && ls',
    'cd src && ls',
    'echo cd /home/user/code/tides && ls',
  ];
  for (const command of same) assert.equal(commandWords(command, base), command);
  assert.equal(commandWords('cd /srv && ls', {}), 'cd /srv && ls');
});
