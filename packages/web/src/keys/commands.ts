import { keyMap } from './key-map.ts';
import type { CommandName } from './key-map.ts';

/** The commands available now, by the names of the key map. The parts on display register their commands and remove them again. */
export class Commands {
  readonly #known = new Map<CommandName, (() => void)[]>();

  /** Registers commands; the returned function removes them. The last one registered is run. */
  bring(commands: { readonly [Name in CommandName]?: () => void }): () => void {
    const brought: [CommandName, () => void][] = [];
    for (const name of commandNames(commands)) {
      const run = commands[name];
      if (run === undefined) continue;
      this.#known.set(name, [...(this.#known.get(name) ?? []), run]);
      brought.push([name, run]);
    }
    return () => {
      for (const [name, run] of brought) {
        this.#known.set(
          name,
          (this.#known.get(name) ?? []).filter((other) => other !== run),
        );
      }
    };
  }

  has(name: CommandName): boolean {
    return (this.#known.get(name)?.length ?? 0) > 0;
  }

  /** Does it; false if that cannot be done here. */
  run(name: CommandName): boolean {
    const command = this.#known.get(name)?.at(-1);
    command?.();
    return command !== undefined;
  }
}

function commandNames(commands: { readonly [Name in CommandName]?: () => void }): CommandName[] {
  return keyMap.map(({ command }) => command).filter((name) => commands[name] !== undefined);
}
