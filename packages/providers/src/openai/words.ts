/** The text for a model that must continue its own last message, which these APIs do not take as the beginning of an answer. */
export const goOn = 'Go on exactly where you stopped.';

/** Stands before pictures that a model has made: only a user may show pictures. */
export const madeAbove = '(What was made above:)';

/** Stands before pictures that tools gave as their results, where a result can only be text. */
export const shownByTools = '(What the tools have shown:)';

export const saidNothing = 'The tool failed and said nothing.';

/** Stands before an answer that nothing asked for: many servers want the user to begin. */
export const beginning = '(The conversation begins with an answer.)';
