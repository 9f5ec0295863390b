import { byShape } from './by-shape.ts';

/** Returns the keys and tokens of well-known services in a text, each once. A name such as `sk-learn-contrib-extras` is none. */
export function findKeys(text: string): string[] {
  return [...new Set(Array.from(byShape(text), ({ start, end }) => text.slice(start, end)))];
}

/** A secret as it may be shown: enough to tell two keys apart, too little to use one. */
export function maskSecret(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 3)}…${secret.slice(-4)}`;
}
