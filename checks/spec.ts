import type { Expression, ImportDeclarationSpecifier, Node } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { lineAt, listFiles, listSources, readText } from './repository.ts';

/** Holds the numbered rules of docs/spec/ and the titles of all tests against each other, both ways. */
export function checkSpec(root: string): Finding[] {
  const { rules, findings } = readRules(root);
  const cited = new Set<string>();
  const found = [...findings];
  for (const file of listSources(root)) {
    const text = readText(root, file);
    if (!text.includes('node:test')) continue;
    for (const { line, title, modifier } of readTests(file, text)) {
      const report = (message: string): void => void found.push({ file, line, message });
      if (modifier !== undefined) {
        report(`take \`${modifier}\` away: it hides tests (a condition that is worked out at run time may skip)`);
      }
      if (title === undefined) {
        report(
          "write the title as a string that starts with its rule, such as '[XX1] …'; what comes after may be computed",
        );
        continue;
      }
      const ids = citations(title);
      if (ids.length === 0) report(`start the title with the rule that it shows, such as '[XX1] ${title}'`);
      for (const id of ids) {
        if (!rules.has(id)) report(`there is no rule ${id} in docs/spec/`);
        cited.add(id);
      }
    }
  }
  for (const [id, place] of rules) {
    if (!cited.has(id))
      found.push({ ...place, message: `rule ${id} has no test; write one whose title starts with [${id}]` });
  }
  return found;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function readRules(root: string): { rules: Map<string, Place>; findings: Finding[] } {
  const rules = new Map<string, Place>();
  const findings: Finding[] = [];
  for (const file of listFiles(root).filter((path) => /^docs\/spec\/.*\.md$/u.test(path))) {
    let fenced = false;
    for (const [index, text] of readText(root, file).split('\n').entries()) {
      if (text.startsWith('```')) fenced = !fenced;
      // Everything that looks like the start of a rule is one, so that a slip of the pen cannot drop it.
      const [, id] = fenced ? [] : (/^\s*(?:[-*+]|\d+\.)\s+\*\*([A-Za-z]+\d+)\b/u.exec(text) ?? []);
      if (id === undefined) continue;
      const place = { file, line: index + 1 };
      const earlier = rules.get(id);
      if (!/^- \*\*[A-Z]{2,}\d+\*\* \S/u.test(text)) {
        findings.push({ ...place, message: `write the rule as "- **${id.toUpperCase()}** One sentence."` });
      }
      if (earlier !== undefined) {
        findings.push({
          ...place,
          message: `${id} is defined in ${earlier.file}:${earlier.line} already; give this rule its own number`,
        });
      }
      rules.set(id, place);
    }
  }
  return { rules, findings };
}

interface TestCall {
  readonly line: number;
  /** The title, or its part before the first substitution; undefined when it cannot be read. */
  readonly title: string | undefined;
  /** `only`, `skip` or `todo`, written so that it always holds. */
  readonly modifier: string | undefined;
}

/** The calls of what the module imports from node:test as `test` or `it`. */
function readTests(file: string, text: string): TestCall[] {
  const { program } = parseSync(file, text);
  const names = new Set<string>();
  const tests: TestCall[] = [];
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) => {
      if (source.value !== 'node:test') return;
      for (const specifier of specifiers) if (importsTest(specifier)) names.add(specifier.local.name);
    },
    CallExpression: ({ callee, arguments: [title, options], start }) => {
      const [name, modifier] = calledName(callee);
      if (!names.has(name)) return;
      tests.push({
        line: lineAt(text, start),
        title: titleText(title),
        modifier: modifier ?? constantModifier(options),
      });
    },
  }).visit(program);
  return tests;
}

function importsTest(specifier: ImportDeclarationSpecifier): boolean {
  if (specifier.type === 'ImportDefaultSpecifier') return true;
  return (
    specifier.type === 'ImportSpecifier' &&
    specifier.imported.type === 'Identifier' &&
    ['test', 'it'].includes(specifier.imported.name)
  );
}

/** `test` → test, `test.skip` → test and skip. */
function calledName(callee: Expression): [name: string, modifier?: string] {
  if (callee.type === 'Identifier') return [callee.name];
  if (
    callee.type !== 'MemberExpression' ||
    callee.object.type !== 'Identifier' ||
    callee.property.type !== 'Identifier'
  )
    return [''];
  return modifiers.includes(callee.property.name) ? [callee.object.name, callee.property.name] : [''];
}

const modifiers = ['only', 'skip', 'todo'];

function constantModifier(options: Node | undefined): string | undefined {
  if (options?.type !== 'ObjectExpression') return undefined;
  for (const property of options.properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.value.type !== 'Literal')
      continue;
    if (modifiers.includes(property.key.name) && property.value.value !== false) return property.key.name;
  }
  return undefined;
}

function titleText(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') {
    const start = node.quasis[0]?.value.cooked ?? '';
    return start === '' ? undefined : start;
  }
  // A long title may be broken: '[XX1] …' + '…'.
  return node?.type === 'BinaryExpression' && node.operator === '+' ? titleText(node.left) : undefined;
}

/** The rules at the start of a title: `[XX1] …`, `[XX1] [XX2] …` or `[XX1, XX2] …`. */
function citations(title: string): string[] {
  const [start = ''] = /^(?:\[[A-Z]{2,}\d+(?:, ?[A-Z]{2,}\d+)*\] ?)+/u.exec(title) ?? [];
  return start.match(/[A-Z]{2,}\d+/gu) ?? [];
}
