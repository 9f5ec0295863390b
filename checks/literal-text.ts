import type { Node } from 'oxc-parser';

/** The text of a string literal or of a template without substitutions; undefined when it is known only at run time. */
export function literalText(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type !== 'TemplateLiteral' || node.quasis.length !== 1) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

/** The name in `x.name`, `x['name']`, `{ name: … }` and `{ 'name': … }`. */
export function propertyName(node: Node): string | undefined {
  return node.type === 'Identifier' ? node.name : literalText(node);
}
