/** A home: that of a person, by the name of the agent, or that of a project, by its id. */
export type Home = { person: string } | { project: string };

/** The name of the log of a home. */
export function homeLogName(home: Home): string {
  return 'person' in home ? `person/${home.person}` : `project/${home.project}`;
}

/** Tells the logs of homes from those of conversations, whose ids have no such beginning. */
export function isHomeLog(log: string): boolean {
  return /^(?:person|project)\/./u.test(log);
}

/** Returns the home that a log belongs to; `undefined` for the log of a conversation. */
export function homeOfLog(log: string): Home | undefined {
  const [, kind, id] = /^(person|project)\/(.+)$/su.exec(log) ?? [];
  if (id === undefined) return undefined;
  return kind === 'person' ? { person: id } : { project: id };
}
