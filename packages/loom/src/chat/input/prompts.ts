import type { PendingCall } from '../call-book.ts';

/** What a person's line says about a call. */
export type Verdict = { decision: 'approved' | 'denied' | 'answered'; text?: string; isAlways?: boolean };

/** The question that is put to the person. */
export function questionFor({ call, kind }: PendingCall): string {
  if (kind === 'question') return 'Your answer: ';
  return `Run ${call.name}? [y]es, [n]o, [a]lways in this chat, or say why not: `;
}

/** Reads an answer; `undefined` if there is none in it. Only a clear yes is one: anything else is a reason to deny. */
export function readVerdict({ kind }: PendingCall, line: string): Verdict | undefined {
  const text = line.trim();
  if (text === '') return undefined;
  if (kind === 'question') return { decision: 'answered', text };
  if (/^(?:y|yes)$/i.test(text)) return { decision: 'approved' };
  if (/^(?:a|always)$/i.test(text)) return { decision: 'approved', isAlways: true };
  if (/^(?:n|no)$/i.test(text)) return { decision: 'denied' };
  return { decision: 'denied', text };
}
