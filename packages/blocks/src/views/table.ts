import { isPlainObject } from '../values/plain-object.ts';
import { patchView } from './files/apply-patch.ts';
import { commandView } from './commands/command.ts';
import { claudeOutput, codexOutput, geminiOutput, trailingOutput } from './commands/command-text.ts';
import { editView, notebookEditView, writeView } from './files/file-change.ts';
import { viewsOfItem } from './item.ts';
import { mediaView } from './media.ts';
import { planView, questionView } from './questions.ts';
import { readView } from './files/read.ts';
import { numberedLines, plainText, taggedLines } from './files/read-text.ts';
import { searchView } from './searches.ts';
import { stdinView, taskOutputView } from './commands/task-output.ts';
import { textEditorView } from './files/text-editor.ts';
import { taskCreateView, taskGetView, taskListView, taskUpdateView, todoView } from './todo.ts';
import type { View } from './view.ts';
import { webFetchView, webSearchView } from './web.ts';

/**
 * Returns the view of a tool, or `undefined` for one that has none. Names are exact: `mcp__…` tools belong to other servers.
 */
export function viewOfTool(name: string): View | undefined {
  return views.get(name);
}

const rows: readonly (readonly [names: string, view: View])[] = [
  // Claude Code; the last one is Claude Code's on Windows.
  ['Bash PowerShell', commandView(claudeOutput)],
  // Codex, the Responses API, and older versions of Codex.
  ['exec_command shell_command local_shell local_shell_call shell container.exec', commandView(codexOutput)],
  // Gemini CLI.
  ['run_shell_command', commandView(geminiOutput)],
  // opencode and pi; Cline; Cursor.
  ['bash execute_command run_terminal_cmd', commandView(trailingOutput)],

  ['Read NotebookRead', readView([numberedLines])],
  ['read', readView([taggedLines, plainText])],
  ['read_file', readView([plainText])],
  ['view_image', mediaView],

  ['Edit MultiEdit edit multiedit multi_edit edit_file replace str_replace search_replace', editView],
  ['Write write write_file create_file', writeView],
  ['NotebookEdit', notebookEditView],
  ['str_replace_editor str_replace_based_edit_tool', textEditorView],
  ['apply_patch', patchView],

  ['TodoWrite todowrite todo_write write_todos update_plan', todoView],
  ['TaskCreate', taskCreateView],
  ['TaskUpdate', taskUpdateView],
  ['TaskGet', taskGetView],
  ['TaskList', taskListView],

  // Claude Code, which has named the second of them so in older versions; Codex.
  ['TaskOutput AgentOutputTool', taskOutputView],
  ['write_stdin', stdinView],

  // Claude Code; opencode and pi; Gemini CLI.
  ['Grep Glob LS', searchView],
  ['grep glob list ls find', searchView],
  ['grep_search search_file_content list_directory', searchView],

  // Claude Code; Codex; opencode; Gemini CLI.
  ['AskUserQuestion request_user_input question ask_user', questionView],
  ['ExitPlanMode exit_plan_mode', planView],

  ['WebSearch web_search google_web_search websearch', webSearchView],
  ['WebFetch web_fetch webfetch', webFetchView],

  // Codex's items where they stand in for the call that its `exec` does not show.
  ...['command_execution', 'file_change', 'todo_list'].map((type): [string, View] => [type, itemView(type)]),
];

function itemView(type: string): View {
  const ofParameters = (parameters: unknown) =>
    viewsOfItem(isPlainObject(parameters) ? { ...parameters, type } : undefined);
  return { ofCall: ofParameters, ofResult: ofParameters };
}

const views: ReadonlyMap<string, View> = new Map(
  rows.flatMap(([names, view]) => names.split(' ').map((name): [string, View] => [name, view])),
);

/** The names of all tools that have a view. */
export const toolsWithViews: readonly string[] = [...views.keys()];
