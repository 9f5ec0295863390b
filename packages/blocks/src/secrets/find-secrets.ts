import { byShape, isFilledIn, isRandom } from './by-shape.ts';
import type { FoundSecret } from './by-shape.ts';
import { maskSecret } from './known-keys.ts';
import { secretNames } from './secret-rules.ts';

/**
 * Finds secrets in a text: by their shape, as private keys, as passwords in addresses, and as random values beside a name such as
 * `API_KEY`. In order, none within another. Every pattern goes over the text once.
 */
export function findSecrets(text: string): FoundSecret[] {
  const found = [...byShape(text), ...privateKeys(text), ...inAddresses(text), ...inHeaders(text), ...byName(text)];
  found.sort((one, other) => one.start - other.start || other.end - one.end);
  const apart: FoundSecret[] = [];
  for (const secret of found) if (secret.start >= (apart.at(-1)?.end ?? 0)) apart.push(secret);
  return apart;
}

/** A found secret as it may be shown. Of a private key or a short password nothing is. */
export function maskFound(text: string, { kind, start, end }: FoundSecret): string {
  return kind === 'private key' ? '…' : maskSecret(text.slice(start, end));
}

/** The text with dots in the place of each secret in it. */
export function withoutSecrets(text: string, secrets: readonly FoundSecret[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of secrets) {
    result += `${text.slice(at, start)}••••`;
    at = end;
  }
  return result + text.slice(at);
}

function* privateKeys(text: string): Generator<FoundSecret> {
  const beginning = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/gu;
  for (const { 0: value, index: start } of text.matchAll(beginning)) {
    const inside = start + value.length;
    keyEnd.lastIndex = inside;
    const end = Math.min(keyEnd.exec(text)?.index ?? text.length, inside + longestKey);
    // A heading alone, in a program or a text about keys, has none.
    if (/[A-Za-z0-9+/]{40}/u.test(text.slice(inside, end))) yield { kind: 'private key', start, end };
  }
}

/** A quotation mark ends the text in which a key was cut off. */
const keyEnd = /-----|"/gu;
const longestKey = 20_000;

function* inAddresses(text: string): Generator<FoundSecret> {
  for (const { 0: all, 1: value = '', index } of text.matchAll(/:\/\/[^\s/@:"'<>]{0,100}:([^\s/@"'<>]{3,200})@/gu)) {
    if (isPlaceholder(value) || isFilledIn(value) || weakPasswords.has(value.toLowerCase())) continue;
    const start = index + all.length - 1 - value.length;
    yield { kind: 'password in an address', start, end: start + value.length };
  }
}

function* inHeaders(text: string): Generator<FoundSecret> {
  for (const { 0: all, 1: value = '', index } of text.matchAll(
    /\bauthorization(?:\\{0,7}(?:["']|&quot;|&#39;))?\s{0,3}[:=]\s{0,3}(?:\\{0,7}(?:["']|&quot;|&#39;))?(?:bearer|basic|token)\s([A-Za-z0-9+/=_.~-]{16,1000})/giu,
  )) {
    if (!isRandom(value) || isPlaceholder(value)) continue;
    const start = index + all.length - value.length;
    yield { kind: 'authorization header', start, end: start + value.length };
  }
}

const names = new RegExp(`(?:${secretNames.map(({ pattern }) => `(${pattern})`).join('|')})`, 'giu');
/** The rest of the name, a sign, and a value, in quotation marks or not; as JSON in a text and in a page of HTML, too. */
const valueBehind =
  /[A-Za-z0-9_]{0,24}(?:\\{0,7}(?:["']|&quot;|&#39;))?[ \t]{0,8}(?::|=>|:=|=)[ \t]{0,8}(\\{0,7}(?:["'`]|&quot;|&#39;))?((?:(?!&quot;|&#)[^\s"'`\\,;<>(){}[\]]){8,200})(?=(.?))/uy;

function* byName(text: string): Generator<FoundSecret> {
  for (const found of text.matchAll(names)) {
    valueBehind.lastIndex = found.index + found[0].length;
    const behind = valueBehind.exec(text);
    if (behind === null) continue;
    const [, quote, value = '', next = ''] = behind;
    const { kind } = secretNames[found.slice(1).findIndex((group) => group !== undefined)] ?? { kind: 'secret' };
    const isLikely = kind === 'password' && quote !== undefined ? hasSigns(value) : isRandom(value);
    // A value that goes on with a bracket is a call or an element of something.
    if (!isLikely || /[([{]/u.test(next) || isPlaceholder(value) || isFilledIn(value)) continue;
    const start = valueBehind.lastIndex - value.length;
    yield { kind: `${kind} beside its name`, start, end: start + value.length };
  }
}

/** Returns true if a password has letters, and digits or signs among them. */
function hasSigns(value: string): boolean {
  return /[A-Za-z]/u.test(value) && /[\d!@#%^&*+?~]/u.test(value) && !/^[a-z]+[-_.]?\d{0,2}$/iu.test(value);
}

/** Values that stand for a secret: names of variables, words such as `your-key`, masks. */
function isPlaceholder(value: string): boolean {
  return (
    /^(?:\$|%|@|\/|\.|#)|\$\{|\{\{|<|>|\.\.\.|…|•|█|\*{3}|process\.env|os\.environ|env\./iu.test(value) ||
    /(?:your|my|example|sample|dummy|fake|placeholder|changeme|change-me|redacted|secret-here|insert|replace|test-?key|todo|lorem|foobar)/iu.test(
      value,
    ) ||
    /^(?:null|none|true|false|undefined|string|required|optional)$/iu.test(value) ||
    // A path, an address, a version, a call, or a word in camel case or with dots.
    /^(?:https?:|file:|[\w-]+\.[\w.-]+$)|\/.*\//iu.test(value) ||
    /^[A-Z][A-Z0-9_]+$/u.test(value)
  );
}

const weakPasswords = new Set([
  'password',
  'passwd',
  'pass',
  'pwd',
  'user',
  'secret',
  'postgres',
  'root',
  'admin',
  'port',
  'test',
]);
