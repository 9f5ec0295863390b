import assert from 'node:assert/strict';
import type { Fetch } from '@loom/client';
import type { Operation } from '@loom/kernel';
import { openApiDocument } from '@loom/server/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';

const documented = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), z.looseObject({})) }))),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

/** Holds answers against the OpenAPI document of a server. */
export class Conformance {
  /** The routes that have been answered: `POST /api/v1/root.get`. */
  readonly reached = new Set<string>();
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #paths: z.infer<typeof documented>['paths'];
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(operations: readonly Operation[]) {
    const document = openApiDocument(operations);
    const { paths, components } = documented.parse(document);
    for (const [name, schema] of Object.entries(components.schemas)) {
      assert.equal(this.#ajv.validateSchema(schema), true, `the schema ${name} is not valid`);
    }
    this.#ajv.addSchema(document, 'openapi');
    this.#paths = paths;
  }

  /** A `fetch` that fails if an answer in JSON does not match the document. */
  readonly fetch: Fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const { status, headers } = answer;
    if (headers.get('content-type') !== 'application/json') return answer;
    const text = await answer.text();
    this.check(init.method, new URL(url).pathname, status, JSON.parse(text));
    return new Response(text, { status, headers });
  };

  check(method: string, path: string, status: number, body: unknown): void {
    const template = this.#templateOf(path);
    const verb = method.toLowerCase();
    const responses = template === undefined ? undefined : this.#paths[template]?.[verb]?.responses;
    if (template === undefined || responses === undefined) return assert.fail(`${method} ${path} is not documented`);
    this.reached.add(`${method} ${template}`);
    const validate = this.#validatorOf(template, verb, String(status) in responses ? String(status) : 'default');
    assert.ok(validate(body), `${method} ${template} answered ${status}: ${JSON.stringify(validate.errors)}`);
  }

  #templateOf(path: string): string | undefined {
    if (path in this.#paths) return path;
    const parts = path.split('/');
    return Object.keys(this.#paths).find((template) => {
      const expected = template.split('/');
      return (
        expected.length === parts.length && expected.every((part, at) => part.startsWith('{') || part === parts[at])
      );
    });
  }

  #validatorOf(template: string, verb: string, status: string): ValidateFunction {
    const pointer = ['paths', template, verb, 'responses', status, 'content', 'application/json', 'schema']
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const known = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `openapi#/${pointer}` });
    this.#validators.set(pointer, known);
    return known;
  }
}
