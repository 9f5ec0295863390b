/**
 * Returns one line for a text that an agent's program wrote in the name of its user: an interruption, the end of a
 * background task, a command and its output, the summary that a session goes on from. `undefined` for anything else. The
 * text itself stays as it is; only its display depends on this.
 */
export function programNotice(text: string): string | undefined {
  const start = text.trimStart().slice(0, longestLook);
  if (start[0] !== '<' && start[0] !== '[' && start[0] !== 'T') return undefined;
  if (/^\[Request interrupted by user(?: for tool use)?\]\s*$/u.test(start)) return 'Interrupted';
  if (start.startsWith(continuation)) return 'Context summarized';
  const tag = /^<([a-z_-]+)>/u.exec(start)?.[1];
  switch (tag) {
    case 'task-notification':
      return labeled('Background task', insideOf(start, 'summary') ?? insideOf(start, 'status'));
    case 'command-message':
    case 'command-name':
      return [insideOf(start, 'command-name') ?? insideOf(start, 'command-message'), insideOf(start, 'command-args')]
        .filter((words) => words !== undefined && words !== '')
        .join(' ');
    case 'bash-input':
      return labeled('Command', insideOf(start, tag));
    case 'local-command-stdout':
    case 'local-command-stderr':
    case 'bash-stdout':
    case 'bash-stderr':
      return labeled('Command output', insideOf(start, tag));
    case 'local-command-caveat':
      return 'Local commands follow';
    case 'ide_opened_file':
    case 'ide_selection':
    case 'ide_diagnostics':
      // The editor says it before a person's words, mostly in a separate text.
      return text.trimEnd().endsWith(`</${tag}>`) ? editorWords(tag, start) : undefined;
    case 'system-reminder':
      // Some programs write one before what a person said, in the same text.
      return text.trimEnd().endsWith('</system-reminder>') ? reminderWords(start) : undefined;
    default:
      return undefined;
  }
}

/** Names the kind of a notice, for marking its message: that of its element, or what it says. `undefined` for any other text. */
export function programNoticeKind(text: string): string | undefined {
  if (programNotice(text) === undefined) return undefined;
  const start = text.trimStart();
  if (start.startsWith('[')) return 'interrupted';
  return /^<([a-z_-]+)>/u.exec(start)?.[1] ?? 'context-summary';
}

/** Describes a reminder by its first line; a hook's says which hook spoke. */
function reminderWords(text: string): string {
  const line = insideOf(text, 'system-reminder') ?? '';
  const hook = /^(\w+(?::\S+)?) hook (?:additional context|success|blocking error|feedback)?:?\s*(.*)$/u.exec(line);
  return hook === null ? labeled('System reminder', line) : labeled(`Hook ${hook[1] ?? ''}`, hook[2]);
}

/** Describes an editor's message: the name of the file says enough. */
function editorWords(tag: string, text: string): string {
  const path = /(?:the file|from) (\S+)/u.exec(text)?.[1];
  const file = path
    ?.split(/[/\\]/u)
    .at(-1)
    ?.replace(/[:.,]+$/u, '');
  const label = editorLabels[tag] ?? 'Editor';
  return labeled(label, file);
}

const editorLabels: Readonly<Record<string, string>> = {
  ide_opened_file: 'Opened in the editor',
  ide_selection: 'Selected in the editor',
  ide_diagnostics: 'Problems in the editor',
};

const continuation = 'This session is being continued from a previous conversation';
/** The beginning of a text to look at, in characters: notices say there what they are. */
const longestLook = 2000;
const longestWords = 120;

function labeled(label: string, words: string | undefined): string {
  return words === undefined || words === '' ? label : `${label}: ${words}`;
}

/** The first line within an element, without the codes that color it. */
function insideOf(text: string, tag: string): string | undefined {
  const from = text.indexOf(`<${tag}>`);
  if (from === -1) return undefined;
  const inside = text.slice(from + tag.length + 2).split(`</${tag}>`, 1)[0] ?? '';
  const line = inside.replaceAll(colors, '').trim().split('\n', 1)[0] ?? '';
  return line.slice(0, longestWords);
}

const colors = /\p{Cc}\[[0-9;]*m/gu;
