import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { serveLoom } from '../testing/served-loom.ts';

const response = z.looseObject({ description: z.string() });
const operation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  responses: z.record(z.string().regex(/^(\d{3}|default)$/u), response),
});
const documentShape = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post', 'put', 'delete']), operation)),
  components: z.looseObject({ schemas: z.record(z.string().regex(/^[\w.-]+$/u), z.looseObject({})) }),
});

test('[SV15] the OpenAPI document is served, describes exactly the routes that there are, and holds together', async (t) => {
  const { requests, server } = await serveLoom(t);
  const document = documentShape.parse(await (await requests.fetch('/api/v1/openapi.json')).json());
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = server.routes
    .filter(({ path }) => /^\/(?:api|auth)\//u.test(path) && !path.includes('{'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/gu, '{$1}')}`);
  assert.deepEqual(described.toSorted(), routes.toSorted());
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.equal(new Set(ids).size, ids.length, 'each operation has a name of its own');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/gu)].map(
    ([, reference = '']) => reference,
  );
  for (const reference of new Set(references)) {
    const [, name = ''] = /^#\/components\/schemas\/([\w.-]+)$/u.exec(reference) ?? [];
    assert.ok(name in document.components.schemas, reference);
  }
});

test('[SV15] an operation is described with its parameters, its result and the statuses of its refusals', async (t) => {
  const { requests } = await serveLoom(t);
  const document = documentShape.parse(await (await requests.fetch('/api/v1/openapi.json')).json());
  const append = document.paths['/api/v1/node.append']?.post ?? assert.fail();
  assert.deepEqual(Object.keys(append.responses), ['200', '400', '403', '404', '409', '410', '422', 'default']);
  assert.match(append.responses['409']?.description ?? '', /^Refused: .*turn-live/u);
  const { NodeAppendParams: params, NodeAppendResult: result } = document.components.schemas;
  assert.deepEqual(params?.['required'], ['parent', 'messages']);
  assert.match(JSON.stringify(result), /"nodes"/u);
});
