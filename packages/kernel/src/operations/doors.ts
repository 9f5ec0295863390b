/** The doors of rows that are for more than people and programs. */

/** The block tools: models may have them, too. */
export const blockToolDoors = ['command', 'http', 'mcp', 'model'] as const;

/** Finding one's way in the forest and adding to it. What rearranges trees, lets models answer or decides for a person is not offered to MCP. */
export const forestDoors = ['command', 'http', 'mcp'] as const;
