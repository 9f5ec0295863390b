import type { Clock, Tool } from '@loom/kernel';
import { ask } from './ask.ts';
import { editFile, writeFile } from './files.ts';
import { flaky } from './flaky.ts';
import { runCommand } from './run-command.ts';
import { search } from './search.ts';
import { slowTool } from './slow-tool.ts';
import { todo } from './todo.ts';
import { weather } from './weather.ts';

/** Tools that touch nothing: no file, no process, no network. Their results depend only on their arguments. Sorted by name, as in requests. */
export function demoTools(clock: Clock): Tool[] {
  const tools = [ask, editFile, flaky, todo, runCommand(clock), search, slowTool(clock), weather, writeFile];
  return tools.map((tool) => ({ ...tool, madeFor: 'demo' }));
}
