import { searchableKinds } from './query.ts';

/** A text to put into the field: at the end of what was typed, or in the place of its last word. */
export interface Suggestion {
  readonly label: string;
  readonly text: string;
}

interface Known {
  readonly hasConversation: boolean;
  /** The agents that have written in the listed conversations. */
  readonly agents: readonly string[];
}

/** Returns the ways to narrow the search: names of filters, or values where the name of one was typed. */
export function suggestionsFor(text: string, { hasConversation, agents }: Known): Suggestion[] {
  const [, before = '', name, begun = ''] = /^(.*?\s)?(kind|agent|after|before):(\S*)$/su.exec(text) ?? [];
  const values = name === undefined ? [] : valuesOf(name, agents).filter((value) => value.startsWith(begun));
  if (values.length > 0) return values.map((value) => ({ label: value, text: `${before}${name}:${value} ` }));
  const rest = text === '' || text.endsWith(' ') ? text : `${text} `;
  const names = ['kind:', 'agent:', 'path:', 'after:', 'before:'].map((label) => ({ label, text: `${rest}${label}` }));
  return [
    ...names,
    { label: 'error:true', text: `${rest}error:true ` },
    ...(hasConversation ? [{ label: 'in:this conversation', text: `${rest}in:this ` }] : []),
    ...(text.startsWith('/') || text.trim() === '' ? [] : [{ label: '/regex/', text: `/${text.trim()}/` }]),
  ];
}

function valuesOf(name: string, agents: readonly string[]): readonly string[] {
  if (name === 'kind') return searchableKinds;
  if (name === 'agent') return ['me', ...agents];
  return ['today', 'yesterday'];
}

/** Completes the last word on Tab, if it can only mean one filter. */
export function completed(text: string, known: Known): string | undefined {
  const [, before = '', begun = ''] = /^(.*\s)?(\S+)$/su.exec(text) ?? [];
  if (begun === '') return undefined;
  if (begun.includes(':')) {
    const [only, ...others] = suggestionsFor(text, known).filter(({ text }) => text.startsWith(`${before}${begun}`));
    return begun.endsWith(':') || others.length > 0 ? undefined : only?.text;
  }
  const names = ['kind:', 'agent:', 'path:', 'after:', 'before:', 'error:true ', 'in:this '];
  const [only, ...others] = names.filter((name) => name.startsWith(begun.toLowerCase()));
  return only === undefined || others.length > 0 ? undefined : `${before}${only}`;
}
