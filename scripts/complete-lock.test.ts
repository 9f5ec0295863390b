import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completePackages } from './complete-lock.mjs';

test('[RP17] missing optional packages are added with the platform in their name', () => {
  const optionalDependencies = Object.fromEntries(
    [
      '@tool/binding-darwin-arm64',
      '@tool/linux-x64',
      '@tool/binding-linux-arm64-musl',
      '@tool/linux-arm-gnueabihf',
      '@tool/wasm',
    ].map((name) => [name, '2.0.0']),
  );
  const locked = {
    'node_modules/@tool/linux-x64': { version: '2.0.0', optional: true, os: ['linux'] },
    'node_modules/tool': { version: '2.0.0', dev: true, optionalDependencies },
  };
  assert.deepEqual(completePackages(locked), {
    'node_modules/@tool/binding-darwin-arm64': {
      version: '2.0.0',
      cpu: ['arm64'],
      dev: true,
      optional: true,
      os: ['darwin'],
    },
    'node_modules/@tool/binding-linux-arm64-musl': {
      version: '2.0.0',
      cpu: ['arm64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
    'node_modules/@tool/linux-arm-gnueabihf': {
      version: '2.0.0',
      cpu: ['arm'],
      dev: true,
      libc: ['glibc'],
      optional: true,
      os: ['linux'],
    },
    ...locked,
  });
});

test('[RP17] another version than the one at the top goes beside its dependant', () => {
  const tool = (version: string): object => ({ version, optionalDependencies: { '@tool/darwin-x64': version } });
  const added = completePackages({
    'node_modules/a/node_modules/tool': tool('1.0.0'),
    'node_modules/b': tool('3.0.0'),
    'node_modules/tool': tool('2.0.0'),
  });
  const versions = Object.entries(added).map(([place, { version }]) => [place, version]);
  assert.deepEqual(
    versions.filter(([place]) => place?.endsWith('darwin-x64')),
    [
      ['node_modules/@tool/darwin-x64', '3.0.0'],
      ['node_modules/a/node_modules/@tool/darwin-x64', '1.0.0'],
      ['node_modules/tool/node_modules/@tool/darwin-x64', '2.0.0'],
    ],
  );
});

test('[RP17] a complete lock file stays as it is', () => {
  const locked = {
    '': {},
    'node_modules/a': { version: '1.0.0', optionalDependencies: { 'a-linux': '1.0.0' } },
    'node_modules/a-linux': { version: '1.0.0' },
  };
  assert.deepEqual(completePackages(locked), locked);
});
