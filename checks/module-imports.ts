import type { Expression, Node } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import { lineAt } from './repository.ts';

/** One place in a module that names another module. */
export interface ModuleImport {
  /** Undefined when the name is computed and cannot be known before the program runs. */
  readonly specifier: string | undefined;
  /** Whether the import is gone when types are stripped: `import { type X }` still loads the module. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** Everything a module loads or takes types from: imports, re-exports, `import()`, `import('…').T`, `require`, resolution. */
export function readImports(file: string, text: string): ModuleImport[] {
  const imports: ModuleImport[] = [];
  const add = (node: { start: number }, specifier: string | undefined, typeOnly: boolean): void => {
    imports.push({ specifier, typeOnly, line: lineAt(text, node.start) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node, node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node, node.source.value, node.exportKind === 'type');
    },
    ImportExpression: (node) => add(node, literalText(node.source), false),
    TSImportType: (node) => add(node, node.source.value, true),
    CallExpression: (node) => {
      if (loadsModules(node.callee)) add(node, literalText(node.arguments[0]), false);
    },
  }).visit(parseSync(file, text).program);
  return imports;
}

/** The text of a string literal or of a template without substitutions. */
function literalText(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type !== 'TemplateLiteral' || node.quasis.length !== 1) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function loadsModules(callee: Expression): boolean {
  if (callee.type === 'Identifier') return callee.name === 'require';
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  if (callee.property.name === 'getBuiltinModule') return true;
  return callee.property.name === 'resolve' && callee.object.type === 'MetaProperty';
}
