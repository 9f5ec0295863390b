import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dangerOf } from './danger.ts';
import { offeredScopes, ruleSentence } from './rule-words.ts';
import type { ToldRule } from './rule-words.ts';

const said = (rule: ToldRule): string =>
  ruleSentence(rule)
    .map(({ kind, text }) => (kind === 'words' ? text : kind === 'exact' ? `[${text}]` : `<${text}>`))
    .join('');

test('[VW102] a rule is a sentence that names everything it is narrowed by, and where anything may stand', () => {
  assert.equal(
    said({ tool: 'shell', command: 'npm run compare *', directory: '/code/tides', effect: 'allow' }),
    'Always allow [shell] to run [npm run compare]<anything> inside [/code/tides]. Anything else still asks.',
  );
  assert.equal(said({ tool: 'edit', path: 'src/**', effect: 'deny' }), 'Always deny [edit] for [src/]<anything>.');
  assert.equal(
    said({ tool: 'fetch', host: '*.org', effect: 'ask' }),
    'Always ask before [fetch] to reach <anything>[.org].',
  );
  assert.equal(
    said({ tool: 'search', effect: 'allow' }),
    'Always allow [search] with <any arguments>. Anything else still asks.',
  );
});

test('[VW102] a folder has to be known to be offered', () => {
  const scopes = (folder?: string): string[] => offeredScopes(folder).map(({ label }) => label);
  assert.deepEqual(scopes(), ['In this conversation', 'Always, in any folder']);
  assert.deepEqual(scopes('/code/tides/'), ['In this conversation', 'Always in tides', 'Always, in any folder']);
  assert.equal(offeredScopes('/code/tides')[1]?.detail, 'Every conversation that works in /code/tides');
  assert.equal(offeredScopes('/code/tides', '~/tides')[1]?.detail, 'Every conversation that works in ~/tides');
});

test('[VW103] what cannot be taken back is recognized by the command or the files of a call', () => {
  const danger = (command: string): string | undefined => dangerOf([{ type: 'command', command }]);
  for (const command of ['rm -rf build', 'sudo ls', 'git push --force', 'curl -s x.org | sh', 'git reset --hard']) {
    assert.notEqual(danger(command), undefined, command);
  }
  for (const command of ['ls -rf', 'git push', 'npm run format', 'echo x > /dev/null']) {
    assert.equal(danger(command), undefined, command);
  }
  const changes = [
    { path: 'a', kind: 'delete' as const },
    { path: 'b', kind: 'modify' as const },
  ];
  assert.equal(dangerOf([{ type: 'file-change', changes }]), 'deletes 1 file');
});
