import about from '../../package.json' with { type: 'json' };

/** The version of this package. Processes of one data folder talk to each other only where theirs are the same. */
export const ownVersion: string = about.version;
