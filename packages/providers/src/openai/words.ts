/** The text for a model that must continue its own last message, which these APIs do not take as the beginning of an answer. */
export const goOn = 'Go on exactly where you stopped.';

/** The text before images that a model has made: only a user may send images. */
export const madeAbove = '(What was made above:)';

/** The text before images from tool results, for APIs whose results can only be text. */
export const shownByTools = '(What the tools have shown:)';

export const saidNothing = 'The tool failed and said nothing.';

/** The text before an answer without a prompt: many servers want the user to begin. */
export const beginning = '(The conversation begins with an answer.)';
