import { checksum } from '@loom/stores/disk';

/** A text behind its checksum. */
export function sealText(text: string): string {
  return `${checksum(text)} ${text}`;
}

/** The text; `undefined` if it is not what was sealed. */
export function unsealText(sealed: string): string | undefined {
  const text = sealed.slice(9);
  return sealed.slice(0, 9) === `${checksum(text)} ` ? text : undefined;
}
