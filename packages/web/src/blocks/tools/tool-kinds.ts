import { commandWords, isPlainObject, pathWords } from '@loom/blocks';
import type { IconName } from '../../ui/Icon.tsx';
import { count } from '../../words/amounts.ts';

/** The kinds of tools, as far as a reader cares. */
export type ToolKind =
  | 'command'
  | 'read'
  | 'change'
  | 'find'
  | 'web'
  | 'plan'
  | 'agent'
  | 'question'
  | 'text'
  | 'other';

/** A call as its line tells it: `Run`, `npm test`. */
export interface ToolLine {
  readonly kind: ToolKind;
  readonly verb: string;
  readonly argument: string;
  /** True if the argument is the path of a file or a folder. */
  readonly isPath?: true;
}

const rows: readonly (readonly [kind: ToolKind, verb: string, names: string])[] = [
  ['command', 'Run', 'bash powershell exec_command shell_command local_shell local_shell_call shell container.exec'],
  ['command', 'Run', 'run_shell_command run_command execute_command run_terminal_cmd command_execution execute_shell'],
  ['command', 'Output of', 'taskoutput agentoutputtool bashoutput shell_output'],
  ['command', 'Stop', 'shell_kill'],
  ['command', 'Type', 'write_stdin'],
  ['read', 'Read', 'read notebookread read_file view_image read_many_files'],
  ['change', 'Edit', 'edit multiedit multi_edit edit_file replace str_replace search_replace notebookedit'],
  ['change', 'Edit', 'str_replace_editor str_replace_based_edit_tool apply_patch file_change'],
  ['change', 'Write', 'write write_file create_file'],
  ['find', 'Find', 'grep glob search_file_content grep_search codesearch find search'],
  ['find', 'List', 'ls list_directory list'],
  ['web', 'Search the web', 'websearch web_search google_web_search search_pages'],
  ['web', 'Fetch', 'webfetch web_fetch fetch_url analyze_url url_context'],
  ['plan', 'Plan', 'todowrite todo_write write_todos todo update_plan todo_list plan_tasks'],
  ['plan', 'Plan', 'taskcreate taskupdate taskget tasklist'],
  ['plan', 'Plan', 'exitplanmode exit_plan_mode exit_plan'],
  ['agent', 'Sub-agent', 'agent task spawn_agent'],
  ['text', 'Begin the draft', 'draft_create'],
  ['text', 'Edit', 'block_edit block_apply_patch'],
  ['text', 'Take back an edit of', 'block_undo'],
  ['text', 'Read', 'block_read'],
  ['text', 'Search', 'block_search'],
  ['text', 'List the drafts', 'draft_list'],
  ['question', 'Ask', 'ask ask_person askuserquestion ask_user ask_user_question request_user_input question'],
];

const knownTools = new Map(
  rows.flatMap(([kind, verb, names]) => names.split(' ').map((name) => [name, { kind, verb }] as const)),
);

/** Agents spell the names of their tools as they like; `mcp__<server>__<tool>` belongs to another server and is never one of these. */
export function toolKindOf(name: string): ToolKind {
  return knownTools.get(name.toLowerCase())?.kind ?? 'other';
}

/** The fields that describe a call best; the first one that is there counts. */
const tellingFields: Readonly<Record<ToolKind, readonly string[]>> = {
  command: ['command', 'cmd', 'chars', 'task_id', 'bash_id', 'id'],
  read: ['file_path', 'path', 'filename', 'absolute_path'],
  change: ['file_path', 'path', 'notebook_path'],
  find: ['pattern', 'query', 'path'],
  web: ['query', 'url', 'q'],
  plan: [],
  agent: ['description', 'task', 'prompt'],
  question: ['question', 'questions'],
  // Their names are those of blocks, which say nothing.
  text: ['title'],
  other: [],
};

/** Words a call in one line. `written` is the part of its arguments that has come while they are still being written. */
export function toolLine(name: string, parameters: unknown, written?: string): ToolLine {
  const { kind, verb } = knownTools.get(name.toLowerCase()) ?? { kind: 'other' as const, verb: plainName(name) };
  const fields = tellingFields[kind];
  const told = tellingText(parameters, fields, kind === 'other') ?? partOf(written, fields);
  const argument = told?.text.trim() ?? '';
  // A search may be about a pattern of paths.
  const isPath = pathFields.has(told?.field ?? '') || (kind === 'find' && /^\/[\w.-]+\//u.test(argument));
  return { kind, verb, argument, ...(argument !== '' && isPath ? { isPath: true } : {}) };
}

/** Returns the argument of a call as a line tells it, with paths from the folder of the conversation. */
export function argumentWords({ kind, argument, isPath }: ToolLine, folder: string | undefined): string {
  if (isPath === true) return pathWords(argument, { folder });
  return kind === 'command' ? commandWords(argument, { folder }) : argument;
}

const pathFields = new Set(['file_path', 'path', 'filename', 'absolute_path', 'notebook_path']);

/** A text that tells a call, and the argument that it was taken from. */
interface Telling {
  readonly text: string;
  readonly field: string;
}

/** `mcp__gauges__query` is `gauges.query`. */
function plainName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : `${server}.${tool}`;
}

function tellingText(parameters: unknown, fields: readonly string[], takesAny: boolean): Telling | undefined {
  if (!isPlainObject(parameters)) return undefined;
  for (const field of takesAny ? Object.keys(parameters) : fields) {
    const value = parameters[field];
    if (typeof value === 'string' && value !== '') return { text: value, field };
    if (!Array.isArray(value) || value.length === 0) continue;
    if (value.every((word) => typeof word === 'string')) return { text: commandOf(value), field: '' };
    // Several questions are named by the first.
    const first: unknown = value[0];
    if (fields.includes('questions')) return tellingText(first, ['question'], false);
  }
  return undefined;
}

/** Joins the words of a command; one that a shell is handed as a whole stands for itself. */
function commandOf(words: readonly string[]): string {
  const [shell = '', flag = '', line] = words;
  const isHanded = /(?:^|\/)(?:ba|z|da|)sh$/u.test(shell) && /^-l?c$/u.test(flag) && words.length === 3;
  return isHanded && line !== undefined ? line : words.join(' ');
}

/** Returns the readable part of a JSON object that ends in the middle. */
function partOf(written: string | undefined, fields: readonly string[]): Telling | undefined {
  if (written === undefined) return undefined;
  for (const field of fields.length === 0 ? ['[^"]+'] : fields) {
    const [, text] = new RegExp(`"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`, 'u').exec(written) ?? [];
    if (text !== undefined) return { text: text.replaceAll(/\\(?:n|r|t)/gu, ' ').replaceAll(/\\(.)/gu, '$1'), field };
  }
  return undefined;
}

const icons: Readonly<Record<ToolKind, IconName>> = {
  command: 'command',
  read: 'file',
  change: 'change',
  find: 'search',
  web: 'globe',
  plan: 'list',
  agent: 'agent',
  question: 'needs',
  text: 'file',
  other: 'tool',
};

export function toolIcon(kind: ToolKind): IconName {
  return icons[kind];
}

/** Words several calls of one kind in a row: `Read 6 files`. */
export function groupWords(kind: ToolKind, verb: string, calls: number): string {
  switch (kind) {
    case 'command':
      return `Ran ${count(calls, 'command')}`;
    case 'read':
      return `Read ${count(calls, 'file')}`;
    case 'change':
      return `Changed files ${calls} times`;
    case 'find':
      return `Looked for ${count(calls, 'thing')}`;
    case 'web':
      return `Searched the web ${calls} times`;
    case 'plan':
      return `Updated the plan ${calls} times`;
    case 'agent':
      return `Sent out ${count(calls, 'sub-agent')}`;
    case 'question':
      return `Asked ${count(calls, 'question')}`;
    case 'text':
      return `${verb}, ${calls} times`;
    case 'other':
      return `${verb}, ${calls} times`;
  }
}
