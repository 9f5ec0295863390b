import type { Token, Tokens } from 'marked';

/** A table as comma-separated values (RFC 4180), with the words of its cells alone. */
export function tableAsCsv({ header, rows }: Tokens.Table): string {
  return [header, ...rows].map((row) => row.map((cell) => field(wordsOf(cell.tokens))).join(',')).join('\r\n');
}

/** Quotes a value where it needs it. Spreadsheets run what begins like a formula, so such a value is marked as text. */
function field(value: string): string {
  const text = /^[=+@\t]|^-(?![\d.])/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return wordsOf(token.tokens);
      if (token.type === 'br') return '\n';
      return 'text' in token && token.type !== 'formula' ? String(token.text) : token.raw;
    })
    .join('');
}
