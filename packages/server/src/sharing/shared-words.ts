import type { RootState } from '@loom/kernel';

/** The home folder of a person, as paths name it. Its name says who it is. */
const home = /(?:\/(?:home|Users)\/|\b[A-Za-z]:\\Users\\)[^/\\\s"'`:;,<>()[\]{}]+/gu;

/**
 * Returns a function that takes the places of this machine out of a text: the folder of the conversation is named by its last part alone, and
 * home folders are `~`.
 */
export function withoutPlaces(config: RootState['config']): (text: string) => string {
  const { directory } = config;
  const [, above = ''] = typeof directory === 'string' ? (/^(\/[^/]+\/.*)\/[^/]+\/*$/u.exec(directory) ?? []) : [];
  if (above === '') return (text) => text.replace(home, '~');
  return (text) => text.replaceAll(`${above}/`, '').replace(home, '~');
}
