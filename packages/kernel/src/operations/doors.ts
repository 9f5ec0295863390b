/** The doors of rows that are for more than people and programs. */

/** The block tools: models may have them, too. */
export const blockToolDoors = ['command', 'http', 'mcp', 'model'] as const;

/**
 * Operations that find one's way in the forest and add to it. Those that rearrange trees, let models answer or decide for a
 * person are not offered to MCP.
 */
export const forestDoors = ['command', 'http', 'mcp'] as const;
