import type { Random } from '@loom/kernel/testing';

/** Values that no type lets in, or that are legal and seldom thought of. Made anew each time: some are changed by their users. */
const hostile: readonly ((random: Random) => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => Number.NaN,
  () => Infinity,
  () => -1,
  () => -0,
  () => 1.5,
  () => 2 ** 53,
  () => 10n,
  () => Symbol('hostile'),
  () => () => 'hostile',
  () => '',
  () => ' \n\t',
  () => '\0',
  () => 'half \ud83e of a pair',
  () => '\udc00\ud800',
  () => '__proto__',
  () => 'constructor',
  () => '../../etc/passwd',
  () => 'forest',
  () => 'x'.repeat(100_000),
  () => '\r\n'.repeat(3),
  () => [],
  () => [[]],
  () => [undefined],
  (): unknown => Array(3),
  () => ({}),
  (): unknown => Object.create(null),
  (): unknown => JSON.parse('{"__proto__": {"polluted": true}, "type": "text"}'),
  () => ({ toString: () => 'x', valueOf: () => 1 }),
  () => new Date(0),
  () => new Map([['a', 1]]),
  () => new Uint8Array(3),
  () => new Error('hostile'),
  () => nested(3_000),
  () => circle(),
  () => ({ type: 'text', text: 'x', colour: 'red' }),
  () => ({ type: 'tool-use', id: '', name: ' ', parameters: { a: Number.NaN } }),
  () => ({ type: 'image', media_type: 'png', url: 'x' }),
  () => ({ type: 'raw', source: 'x', value: undefined }),
  () => ({ type: 'raw', source: 'x', value: { deep: [null, { a: 1 }] } }),
];

/** The value with one place of it spoilt: replaced by something hostile, left out, or with an unknown key. */
export function spoil(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.85)) {
    const elements: readonly unknown[] = value;
    const at = random.below(elements.length);
    return elements.with(at, spoil(random, elements[at]));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && random.chance(0.85)) {
    const entries = Object.entries(value);
    const [key] = random.pick(entries) ?? ['type'];
    if (random.chance(0.1)) return { ...value, colour: 'red' };
    if (random.chance(0.1)) return Object.fromEntries(entries.filter(([other]) => other !== key));
    return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? spoil(random, old) : old]));
  }
  return random.pick(hostile)?.(random);
}

/** The same for callers that are asked for a type and do not keep to it. */
export function spoilt<T>(random: Random, value: T): T {
  const result = spoil(random, value);
  return isTaken(result, value) ? result : value;
}

/** Callers without types are believed. */
function isTaken<T>(_value: unknown, _like: T): _value is T {
  return true;
}

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value['itself'] = value;
  return value;
}
