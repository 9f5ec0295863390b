import type { Expression } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import { literalText, propertyName } from './literal-text.ts';
import { lineAt } from './repository.ts';

/** One place in a module that names another module. */
export interface ModuleImport {
  /** Undefined when the name is computed and cannot be known before the program runs. */
  readonly specifier: string | undefined;
  /** True if the import is gone when types are stripped: `import { type X }` still loads the module. */
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
    TSImportEqualsDeclaration: (node) => {
      const { moduleReference: reference, importKind } = node;
      if (reference.type === 'TSExternalModuleReference') add(node, reference.expression.value, importKind === 'type');
    },
    CallExpression: (node) => {
      if (loadsModules(node.callee)) add(node, literalText(node.arguments[0]), false);
    },
  }).visit(parseSync(file, text).program);
  return imports;
}

function loadsModules(callee: Expression): boolean {
  if (callee.type === 'Identifier') return loaders.includes(callee.name);
  if (callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  const name = propertyName(property);
  if (name === 'resolve')
    return object.type === 'MetaProperty' || (object.type === 'Identifier' && object.name === 'require');
  return name !== undefined && loaders.includes(name);
}

// createRequire is never given the name of a module, so that each use of it is refused as one that cannot be checked.
const loaders = ['require', 'createRequire', 'getBuiltinModule'];
