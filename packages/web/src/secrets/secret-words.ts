import { grouped } from '../words/amounts.ts';

/** A place in which a secret was found, as operations tell it. */
export interface FoundPlace {
  readonly role: 'user' | 'assistant' | 'tool';
  /** The type of the block. */
  readonly type: string;
  /** The command, the file or the tool. */
  readonly about?: string | undefined;
  readonly part?: 'text' | 'output' | 'file' | 'version' | undefined;
}

/** Words a place: what it is, and the command, file or tool that it is about. */
export function placeWords({ role, type, about, part = 'text' }: FoundPlace): { words: string; about?: string } {
  const named = about === undefined ? {} : { about };
  const words = wordsOf(role, type, about !== undefined);
  if (part === 'version') return { words: `an earlier version of ${words}`, ...named };
  if (part === 'output' && type === 'command') return { words: 'the long output of', ...named };
  return { words, ...named };
}

function wordsOf(role: FoundPlace['role'], type: string, isNamed: boolean): string {
  switch (type) {
    case 'command':
      return isNamed ? 'the output of' : 'the output of a command';
    case 'tool-use':
      return isNamed ? 'a call of' : 'a call of a tool';
    case 'code':
    case 'image':
      return isNamed ? 'the file' : 'a file';
    case 'file-change':
      return isNamed ? 'a change of' : 'a change of a file';
    case 'thinking':
      return 'thinking';
    case 'error':
      return 'an error';
    default:
      if (role === 'tool') return isNamed ? 'a result of' : 'the result of a tool';
      return role === 'user' ? 'a message of a person' : 'an answer';
  }
}

/** The numbers of things that a scan did not look through. */
interface Skipped {
  readonly large: number;
  readonly binary: number;
  readonly versions: number;
}

/** Says what was not looked through. */
export function skippedWords({ large, binary, versions }: Skipped): string {
  const parts = [
    ...(large === 0 ? [] : [`${grouped(large)} larger than 8 MB`]),
    ...(binary === 0 ? [] : [`${grouped(binary)} that ${binary === 1 ? 'is' : 'are'} not text, such as pictures`]),
  ];
  const files = parts.length === 0 ? '' : `files and outputs: ${parts.join(', ')}`;
  const old = versions === 0 ? '' : `the rest of the versions of ${grouped(versions)} long texts`;
  return ['deleted messages', files, old].filter((part) => part !== '').join('; ');
}
