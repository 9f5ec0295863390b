/** The locale for numbers and days: that of the reader's browser. Outside a browser there is no reader, and the words are American. */
export const locale = typeof document === 'undefined' ? 'en-US' : navigator.language;
