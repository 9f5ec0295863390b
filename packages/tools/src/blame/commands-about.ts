import { rootOfId } from '@loom/kernel';
import type { Caller, LoomEngine } from '@loom/kernel';

/** A command that names a file: what it did to it was not recorded. */
export interface NamedCommand {
  block: string;
  root: string;
  /** At most 500 characters of it. */
  command: string;
}

/**
 * Finds commands of some conversations that name a file and may have changed it. Those that only read are left out, and those whose
 * changes were recorded beside them.
 */
export async function findCommands(
  engine: LoomEngine,
  caller: Caller,
  { name, roots }: { name: string; roots: readonly string[] },
): Promise<NamedCommand[]> {
  if (roots.length === 0) return [];
  const found = await engine.call('kernel.search', caller, {
    query: name,
    literal: true,
    ignore_case: false,
    kinds: ['command'],
    roots: [...roots],
    context_lines: 0,
    line_numbers: false,
    max_matches_per_block: 1,
    max_blocks: mostLooked,
  });
  if (!found.ok) return [];
  const commands: NamedCommand[] = [];
  for (const { block_id: block } of found.value.blocks) {
    const root = rootOfId(block);
    const command = await engine.forest.readUnlessDamaged(root, (state) => {
      const node = state.nodes.get(state.nodeOfBlock.get(block) ?? '');
      const shown = state.block(block);
      const isRecorded = node?.blocks.some(({ type }) => type === 'file-change') ?? false;
      if (shown?.type !== 'command' || isRecorded || !shown.command.includes(name)) return undefined;
      return mayChange(shown.command) ? shown.command : undefined;
    });
    if (command !== undefined) commands.push({ block, root, command: command.slice(0, 500) });
    if (commands.length === mostCommands) break;
  }
  return commands;
}

/** Returns false for a line of programs that only read. */
function mayChange(command: string): boolean {
  // A redirect writes, whatever program it is of; one to another stream or to nothing does not.
  if (/>(?!&|\s*\/dev\/null)/u.test(command.replaceAll(/\d?>&\d/gu, ''))) return true;
  const parts = command.split(/&&|\|\|?|;|\n/u).map((part) => part.trim());
  return parts.some((part) => part !== '' && !onlyReads.test(part));
}

const onlyReads =
  /^(?:cd|cat|head|tail|less|more|wc|ls|stat|file|grep|rg|egrep|fgrep|diff|cmp|echo|pwd|sort|uniq|cut|nl|tree|git (?:diff|log|show|status|blame|add|commit|grep|ls-files|rev-parse))(?:\s|$)/u;

const mostLooked = 100;
const mostCommands = 5;
