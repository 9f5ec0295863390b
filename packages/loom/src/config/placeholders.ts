import type { TomlTable } from 'smol-toml';
import { isTable } from '../toml/intention.ts';
import type { Path } from '../toml/key.ts';

/** Drops providers' placeholder values: the original wrote `apiKey = "your API key"` into new files. */
export function dropPlaceholders(table: TomlTable): { table: TomlTable; dropped: Path[] } {
  const { providers } = table;
  if (!isTable(providers)) return { table, dropped: [] };
  const dropped: Path[] = [];
  const cleared: TomlTable = {};
  for (const [name, provider] of Object.entries(providers)) {
    if (!isTable(provider)) continue;
    const real = Object.entries(provider).filter(([field, value]) => {
      const isPlaceholder = typeof value === 'string' && NO_VALUE.test(value);
      if (isPlaceholder && value.trim() !== '') dropped.push(['providers', name, field]);
      return !isPlaceholder;
    });
    cleared[name] = Object.fromEntries(real);
  }
  return { table: { ...table, providers: cleared }, dropped };
}

const NO_VALUE = /^\s*(?:your (?:api key|project id))?\s*$/i;
