import { z } from 'zod';

/** A turn as people know it. */
export const commonTurnFields = z.strictObject({
  root: z.string().describe('The conversation.'),
  root_title: z.string().exactOptional(),
  opening: z.string().describe('How the first message of the conversation begins.'),
  node: z.string().describe('The message that the turn begins with.'),
  number: z.int().exactOptional().describe('Counts the turns of its branch that persons asked for, from 1.'),
  words: z.string().describe('How that message begins.'),
  time: z.string().describe('When the turn began, as ISO 8601 in UTC.'),
  model: z.string().exactOptional().describe('The model that answered, as <provider>:<model>.'),
  source: z.string().exactOptional().describe('The program that the conversation was imported from.'),
});

export const commitFields = z.strictObject({
  sha: z.string(),
  author: z.string(),
  time: z.string().describe('When it was committed, as ISO 8601 in UTC.'),
  summary: z.string().describe('The first line of its message.'),
});

export const blamedRange = z.strictObject({
  start: z.int().describe('The first line, counted from 1.'),
  end: z.int().describe('The last line.'),
  turn: z.int().exactOptional().describe('The turn that wrote them, as an index of turns. Absent if it is not known.'),
  block: z.string().exactOptional().describe('The block that shows the change.'),
  commit: z
    .int()
    .exactOptional()
    .describe('The commit that they came with, as an index of commits. Absent if they are not committed.'),
});
