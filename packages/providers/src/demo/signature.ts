import type { ThinkingBlock } from '@loom/blocks';
import { isPlainObject } from '@loom/blocks';
import { fingerprint } from './fingerprint.ts';

/** Returns a thought in the form that the demo wants back: with a signature that is valid for this text only. */
export function signThinking(text: string): ThinkingBlock {
  return { type: 'thinking', text, provider: { demo: { signature: signatureOf(text) } } };
}

/** Returns true if the text of a thought matches its signature. A thought without the demo's signature is another model's. */
export function isSigned({ text, provider }: ThinkingBlock): boolean {
  const data = provider?.['demo'];
  return !isPlainObject(data) || data['signature'] === undefined || data['signature'] === signatureOf(text);
}

function signatureOf(text: string): string {
  return `demo-${fingerprint(`signed: ${text}`)}`;
}
