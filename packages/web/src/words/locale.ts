/** How the reader's browser writes numbers and days. Outside a browser there is no reader, and the words are American. */
export const locale = typeof document === 'undefined' ? 'en-US' : navigator.language;
