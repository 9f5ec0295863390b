import type { Tool } from '@loom/kernel';
import type { WebPorts } from './web-ports.ts';

/** Reads web pages. Its code is loaded by the first call. */
export function fetchUrlTool(ports: WebPorts): Tool {
  return {
    name: 'fetch_url',
    aliases: ['analyze_url', 'url_context'],
    description:
      'Reads a web page or text file at an http or https address and returns its text; of a page, the readable part as Markdown. Addresses of this machine and of private networks are refused. A redirect to another host is not followed, but returned, so that you can call again with it.',
    parameters: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'The full address, such as https://example.org/page.' },
        start: {
          type: 'integer',
          minimum: 0,
          description: 'The character to go on from, if the text was cut. Default: 0.',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    group: 'web',
    effect: 'runs',
    prepare: async (invocation, context) => (await import('./run-fetch.ts')).prepareFetch(ports, invocation, context),
    run: async (invocation, context) => (await import('./run-fetch.ts')).runFetch(ports, invocation, context),
  };
}
