import type { PermissionRule } from '@loom/kernel';
import { coversWords, readCommandPattern } from '../command-line/command-pattern.ts';
import type { SimpleCommand } from '../command-line/simple-command.ts';

/** A call as rules see it. */
export interface CallFacts {
  readonly tool: string;
  /** The folder of the conversation. */
  readonly directory?: string | undefined;
  /** The command line of a call that runs one, as it was read. */
  readonly command?: SimpleCommand;
  /** The path below the folder, with links resolved, of a call about a file. */
  readonly path?: string;
  /** The machine that a call reaches; `*` for a command that may reach any. */
  readonly host?: string;
}

/** Returns true if a rule covers a call. What cannot be read for certain is not covered. */
export function coversCall(rule: PermissionRule, call: CallFacts): boolean {
  return (
    coversPlace(rule, call) &&
    (rule.command === undefined ? true : coversCommand(rule.command, call.command)) &&
    (rule.path === undefined ? true : call.path !== undefined && coversPath(rule.path, call.path)) &&
    // A rule about a program says nothing about the network, unless it names a host.
    (call.host === undefined ? rule.host === undefined || call.command !== undefined : coversHost(rule, call))
  );
}

/**
 * Returns true if a rule may cover a call: for rules that deny or ask, where a doubt must not let a call through. A program counts by its
 * name wherever it is kept, and a line that cannot be read may hold anything.
 */
export function mayCoverCall(rule: PermissionRule, call: CallFacts): 'yes' | 'perhaps' | 'no' {
  if (!coversPlace(rule, call)) return 'no';
  if (rule.path !== undefined && (call.path === undefined || !coversPath(rule.path, call.path))) return 'no';
  if (rule.host !== undefined && (call.host === undefined || !mayCoverHost(rule.host, call.host))) return 'no';
  if (rule.command === undefined) return 'yes';
  if (call.command === undefined) return 'no';
  if (!call.command.ok) return 'perhaps';
  const [program = '', ...rest] = call.command.words;
  const name = program.split('/').at(-1) ?? '';
  const spelled = [call.command.words, [name, ...rest]];
  const pattern = readCommandPattern(rule.command);
  return pattern === undefined || spelled.some((words) => coversWords(pattern, words)) ? 'yes' : 'no';
}

function coversPlace({ tool, directory }: PermissionRule, call: CallFacts): boolean {
  if (tool !== '*' && tool !== call.tool) return false;
  if (directory === undefined) return true;
  const folder = directory.length > 1 ? directory.replace(/\/+$/u, '') : directory;
  const { directory: place } = call;
  return (
    place !== undefined && isPlain(place) && (place === folder || place.startsWith(`${folder === '/' ? '' : folder}/`))
  );
}

function coversCommand(text: string, command: SimpleCommand | undefined): boolean {
  const pattern = readCommandPattern(text);
  return pattern !== undefined && command?.ok === true && coversWords(pattern, command.words);
}

/** A star stands for anything within a name, two for anything at all. Everything else means itself. */
export function coversPath(pattern: string, path: string): boolean {
  if (!isPlain(path)) return false;
  const parts = pattern
    .split(/(\*+)/u)
    .map((part) => (part.startsWith('**') ? '.*' : part === '*' ? '[^/]*' : escape(part)));
  return new RegExp(`^${parts.join('')}$`, 'su').test(path);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`);
}

/** A path whose names are what they seem. */
function isPlain(path: string): boolean {
  return !path.split('/').some((name) => name === '..' || name === '.');
}

function coversHost({ host: pattern, command }: PermissionRule, call: CallFacts): boolean {
  const { host = '' } = call;
  // A rule that covers everything a tool may do covers the hosts too, but no rule for a program does.
  if (pattern === undefined) return command === undefined && call.command === undefined;
  return matchesHost(pattern, host);
}

function mayCoverHost(pattern: string, host: string): boolean {
  return host === '*' || matchesHost(pattern, host);
}

/** `*.example.org` covers every machine below it, `*` any machine. */
function matchesHost(pattern: string, host: string): boolean {
  const [wanted, given] = [pattern, host].map((name) => name.toLowerCase().replace(/\.$/u, ''));
  if (wanted === undefined || given === undefined || given === '') return false;
  if (wanted === '*') return true;
  return wanted.startsWith('*.') ? given.endsWith(wanted.slice(1)) && given.length >= wanted.length : wanted === given;
}
