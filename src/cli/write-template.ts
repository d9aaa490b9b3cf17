// The files of a template, written into a folder.
//
//   WTM1. A file that is there is never changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What there is to choose from. */
export const TEMPLATES = {
  crew: "a crew in YAML, with a tool and a test in TypeScript",
  yaml: "crews and flows in YAML, and no code",
} as const;

export type TemplateName = keyof typeof TEMPLATES;

/** Names that npm would leave out of a package, or take for its own. */
const DOTTED = new Set(["gitignore", "editorconfig", "dev.vars.example"]);

/** Writes the template, and answers the paths of what was written and of what was there. */
export function writeTemplate(
  template: TemplateName,
  folder: string,
  values: Readonly<Record<string, string>>,
): { readonly written: readonly string[]; readonly left: readonly string[] } {
  const written: string[] = [];
  const left: string[] = [];
  for (const [path, text] of filesOf(template)) {
    const target = join(folder, path);
    if (existsSync(target)) {
      left.push(path);
      continue;
    }
    mkdirSync(dirname(target), { recursive: true });
    const filled = text.replaceAll(
      /\{\{(\w+)\}\}/g,
      (whole, name: string) => values[name] ?? whole,
    );
    writeFileSync(target, filled, { flag: "wx" });
    written.push(path);
  }
  return { written, left };
}

function filesOf(template: TemplateName): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const root of [join(templates(), "shared"), join(templates(), template)])
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const whole = join(entry.parentPath, entry.name);
      const path = whole.slice(root.length + 1).replaceAll("\\", "/");
      files.set(DOTTED.has(path) ? `.${path}` : path, readFileSync(whole, "utf8"));
    }
  return files;
}

/** In the repository and in the package `edgecrew`, else in the package `create-edgecrew`. */
function templates(): string {
  const [here, own] = ["../../create/templates", "../templates"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return here !== undefined && existsSync(here) ? here : (own ?? "");
}
