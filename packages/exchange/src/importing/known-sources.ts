import { join } from 'node:path';

/** The folders in which programs keep their histories on this machine. */
export interface Home {
  /** The user's home folder; if it is empty because it is unknown, nothing is found. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program whose histories are found automatically. */
export interface KnownSource {
  readonly source: string;
  readonly name: string;
  folders(home: Home): string[];
  /** Returns the part that a file in one of the folders plays: a session, a part of one, or neither. */
  classify(path: string): 'session' | 'part' | 'other';
}

export const knownSources: readonly KnownSource[] = [
  {
    source: 'claude-code',
    name: 'Claude Code',
    folders: ({ home, env }) => [join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects')],
    classify: (path) => {
      if (!path.endsWith('.jsonl')) return 'other';
      return /[/\\]agent-[^/\\]*$|[/\\]subagents[/\\]/u.test(path) ? 'part' : 'session';
    },
  },
  {
    source: 'codex',
    name: 'Codex',
    folders: ({ home, env }) => {
      const base = env['CODEX_HOME'] || join(home, '.codex');
      return [join(base, 'sessions'), join(base, 'archived_sessions')];
    },
    classify: (path) => (/[/\\]rollout-[^/\\]*\.jsonl(?:\.zst)?$/u.test(path) ? 'session' : 'other'),
  },
  {
    source: 'gemini-cli',
    name: 'Gemini CLI',
    folders: ({ home }) => [join(home, '.gemini', 'tmp')],
    classify: (path) => (/[/\\]chats[/\\]session-[^/\\]*\.jsonl?$/u.test(path) ? 'session' : 'other'),
  },
  {
    source: 'opencode',
    name: 'opencode',
    folders: ({ home, env }) => [join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode')],
    classify: (path) => {
      if (/[/\\]opencode\.db$/u.test(path)) return 'part';
      if (/[/\\]storage[/\\]session[/\\].*\.json$/u.test(path)) return 'session';
      return /[/\\]storage[/\\](?:message|part)[/\\].*\.json$/u.test(path) ? 'part' : 'other';
    },
  },
  {
    source: 'pi',
    name: 'pi',
    folders: ({ home, env }) => [join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'sessions')],
    classify: (path) => (path.endsWith('.jsonl') ? 'session' : 'other'),
  },
];
