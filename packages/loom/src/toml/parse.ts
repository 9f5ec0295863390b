import { parse, TomlError, type TomlTable } from 'smol-toml';

/** A mistake in a TOML text, with its 1-based place. */
export type TomlProblem = { message: string; line: number; column: number };

export type ParsedToml = { ok: true; table: TomlTable } | { ok: false; problem: TomlProblem };

/** Parses TOML. `__proto__` and `constructor` are refused as keys; integers beyond 2^53 stay exact. */
export function parseToml(text: string): ParsedToml {
  try {
    return {
      ok: true,
      table: parse(text, { integersAsBigInt: 'asNeeded', unsafeKeyBehaviour: 'throw', maxDepth: 100 }),
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's own message goes on with an excerpt of the file, which may show a key.
    const message = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    return { ok: false, problem: { message, line: error.line, column: error.column } };
  }
}
