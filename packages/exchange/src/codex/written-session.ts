import type { PlainObject } from '@loom/blocks';

/** The version of Codex whose session files Loom's resemble. */
const version = '0.166.0';

/** Returns the first payload of a session file that Loom writes. */
export function writtenMeta(thread: string, time: string, directory: string): PlainObject {
  return {
    session_id: thread,
    id: thread,
    timestamp: time,
    cwd: directory,
    originator: 'loom',
    cli_version: version,
    source: 'cli',
    thread_source: 'user',
    history_mode: 'paginated',
  };
}

/** Returns the path of a session file below Codex's own folder: in a folder for the day on which it began. */
export function writtenPath(thread: string, time: string): string {
  const [day = '', clock = ''] = time.split('T');
  const name = `rollout-${day}T${clock.slice(0, 8).replaceAll(':', '-')}-${thread}.jsonl`;
  return `sessions/${day.replaceAll('-', '/')}/${name}`;
}

/** Returns a session in which nothing is said yet, for Codex to go on with under a name that is chosen here. */
export function emptySession(thread: string, time: string, directory: string): { path: string; text: string } {
  const payload = writtenMeta(thread, time, directory);
  const line = { timestamp: time, ordinal: 0, type: 'session_meta', payload };
  return { path: writtenPath(thread, time), text: `${JSON.stringify(line)}\n` };
}
