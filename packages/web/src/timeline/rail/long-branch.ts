/** From so many messages on there is a rail. */
export const longBranch = 200;
