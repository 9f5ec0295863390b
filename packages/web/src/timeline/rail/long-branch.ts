/** The number of messages from which there is a rail. */
export const longBranch = 200;
