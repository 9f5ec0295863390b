import type { CommandBlock, MessageBlock } from '@loom/blocks';
import { longestCard, renderEnd } from './cards.ts';
import type { Line } from './column.ts';
import { LineBuffer } from './line-buffer.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** Shows what commands print while they run, line by line; of a long output as many lines as a card would show. */
export class RunningOutput {
  readonly #show: (lines: Line[]) => void;
  readonly #commands = new Map<string, { buffers: Map<string, LineBuffer>; lines: number }>();

  constructor(show: (lines: Line[]) => void) {
    this.#show = show;
  }

  /** The blocks that were shown while they grew. */
  get shown(): ReadonlySet<string> {
    return new Set(this.#commands.keys());
  }

  /** Begins a command; `isNamed`: the call above shows the command itself. */
  begin({ block_id: id = '', command, stdout = '', stderr = '' }: CommandBlock, isNamed = false): void {
    this.#commands.set(id, { buffers: new Map(), lines: 0 });
    if (!isNamed) this.#show([{ text: `    $ ${command}`, tone: 'strong' }]);
    if (typeof stdout === 'string') this.grow(id, 'stdout', stdout);
    if (typeof stderr === 'string') this.grow(id, 'stderr', stderr);
  }

  /** Adds output to a running command; returns false if it belongs to none. */
  grow(id: string, field: string, text: string): boolean {
    const command = this.#commands.get(id);
    if (command === undefined) return false;
    const buffer = command.buffers.get(field) ?? new LineBuffer();
    command.buffers.set(field, buffer);
    for (const line of buffer.take(text)) this.#add(command, field, line);
    return true;
  }

  /** Shows the rest of unfinished lines, and how much was not shown; of output that outgrew the conversation its end. */
  end(block: MessageBlock): void {
    const command = this.#commands.get(block.block_id ?? '');
    if (command === undefined || block.type !== 'command') return;
    const long = (['stdout', 'stderr'] as const).flatMap((field) => {
      const output = block[field];
      return typeof output === 'object' ? [{ field, output }] : [];
    });
    for (const [field, buffer] of command.buffers) {
      // The rest of a line that was begun is not here.
      if (long.some((one) => one.field === field)) continue;
      for (const line of buffer.flush()) this.#add(command, field, line);
    }
    const left = command.lines - longestCard;
    if (left > 0 && long.length === 0)
      this.#show([{ text: `    … ${left} more ${left === 1 ? 'line' : 'lines'}: ${suggest('show')}`, tone: 'faint' }]);
    for (const { field, output } of long) {
      const lines = renderEnd(output, field === 'stderr' ? 'odd' : undefined);
      this.#show(lines.map((line) => ({ ...line, text: `    ${line.text}` })));
    }
  }

  #add(command: { lines: number }, field: string, line: string): void {
    command.lines += 1;
    if (command.lines > longestCard) return;
    const text = `    ${line}`;
    this.#show([field === 'stderr' ? { text, tone: 'odd' } : { text }]);
  }
}
