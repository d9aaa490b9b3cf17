import * as nodeModule from "node:module";

/** Returns faults of a written TypeScript file: syntax errors, and names declared twice. */
export function codeFaults(text: string): readonly string[] {
  // Node 22.12 has no TypeScript parser; only names are checked there.
  const { stripTypeScriptTypes } = nodeModule;
  if (typeof stripTypeScriptTypes === "function")
    try {
      quietly(() => stripTypeScriptTypes(text));
    } catch (error) {
      return [`is not valid TypeScript: ${(error as Error).message.trim()}`];
    }
  const names = Array.from(
    text.matchAll(/^(?:export )?(?:const|class|function) ([\w$]+)/gm),
    ([, name = ""]) => name,
  );
  const imported = Array.from(text.matchAll(/^import \{ ([^}]*) \} from/gm), ([, list = ""]) =>
    list.split(", ").map((each) => each.replace(/^type /, "").replace(/^.* as /, "")),
  ).flat();
  const all = [...names, ...imported];
  const twice = new Set(all.filter((name, at) => all.indexOf(name) !== at));
  return [...twice].map((name) => `declares \`${name}\` twice: rename one`);
}

/** Hides Node's warning about its experimental parser, which is irrelevant for an import. */
function quietly<Value>(work: () => Value): Value {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
