import { checksum } from '@loom/stores/disk';

/** Returns a text after its checksum. */
export function sealText(text: string): string {
  return `${checksum(text)} ${text}`;
}

/** Returns the text; `undefined` if it is damaged. */
export function unsealText(sealed: string): string | undefined {
  const text = sealed.slice(9);
  return sealed.slice(0, 9) === `${checksum(text)} ` ? text : undefined;
}
