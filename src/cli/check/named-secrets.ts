// Secrets named in a project's code and in its example of variables.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** A secret and its place. */
export type NamedSecret = { readonly name: string; readonly place: string };

/** As a property of `env` or `process.env`, or as the text of a `secretVariable`. */
const IN_CODE =
  /(?:\benv\.|\b\w*(?:secret|key|token)Variable\w*:\s*["'])([A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|PASSWORD))\b/gi;
const CODE = /\.[cm]?[jt]sx?$/;

/**
 * Returns the secrets in the code in `src/`, and the uncommented ones in `.dev.vars.example`. Leaves out our own, which
 * a deployment makes.
 */
export function namedSecrets(folder: string): readonly NamedSecret[] {
  const found = new Map<string, string>();
  for (const path of codeFiles(folder, "src")) {
    const text = readFileSync(join(folder, path), "utf8");
    for (const match of text.matchAll(IN_CODE)) {
      const line = text.slice(0, match.index).split("\n").length;
      const [, name = ""] = match;
      if (name === name.toUpperCase() && !found.has(name)) found.set(name, `${path}:${line}`);
    }
  }
  const example = join(folder, ".dev.vars.example");
  if (existsSync(example))
    for (const name of Object.keys(parseEnv(readFileSync(example, "utf8"))))
      if (!found.has(name)) found.set(name, ".dev.vars.example");
  return [...found]
    .filter(([name]) => !name.startsWith("EDGECREW_"))
    .map(([name, place]) => ({ name, place }));
}

function codeFiles(folder: string, path: string): readonly string[] {
  const here = join(folder, path);
  if (!existsSync(here)) return [];
  return readdirSync(here, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((each) => each.replaceAll("\\", "/"))
    .toSorted();
}
