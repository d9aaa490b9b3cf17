// Writes the files of a template into a folder.
//
//   WTM1. An existing file is never changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NewFile } from "./import/import-project.ts";
import { safePath } from "./import/write-files.ts";

/** Available templates. */
export const TEMPLATES = {
  crew: "a crew in YAML, with a tool and a test in TypeScript",
  flow: "a flow in TypeScript, with a crew in it and a person who decides",
  conversation: "a conversation that goes on turn by turn",
  fullstack: "a web page in React that starts runs, follows them and asks",
  yaml: "crews and flows in YAML, and no code",
} as const;

export type TemplateName = keyof typeof TEMPLATES;

/** Folders of a template. A file of a later folder replaces the same file of an earlier one. */
const LAYERS: Readonly<Record<TemplateName | "crewai", readonly string[]>> = {
  crew: ["shared", "code", "research", "crew"],
  flow: ["shared", "code", "flow"],
  conversation: ["shared", "code", "conversation"],
  fullstack: ["shared", "code", "fullstack"],
  yaml: ["shared", "research", "yaml"],
  crewai: ["shared", "code", "crewai"],
};

/** Changes to the shared wrangler.jsonc. */
const CONFIG_CHANGES: Partial<
  Record<keyof typeof LAYERS, ReadonlyArray<readonly [string, string]>>
> = {
  fullstack: [
    ['"edgecrew build"', '"edgecrew build && vite build web && edgecrew console copy dist"'],
    ['"src"] },', '"src", "web"] },'],
    [
      `// The pages of the console. Paths that are no file of it are answered by the Worker.
  "assets": { "directory": "node_modules/edgecrew/dist/console-root", "binding": "ASSETS" },`,
      `// The page, and those of the console. Paths below /app, and all that are no file of them, are answered by the Worker.
  "assets": { "directory": "dist", "binding": "ASSETS", "run_worker_first": ["/app/*"] },`,
    ],
  ],
};

/** Names that npm would leave out of a package, or treat as its own. */
const DOTTED = /^(?=gitignore$|editorconfig$|dev\.vars\.example$|github\/)/;

/** Returns the files of a template with filled placeholders. */
export function templateFiles(
  template: TemplateName | "crewai",
  values: Readonly<Record<string, string>>,
): readonly NewFile[] {
  return Array.from(textsOf(template), ([path, text]) => {
    const changes = path === "wrangler.jsonc" ? (CONFIG_CHANGES[template] ?? []) : [];
    const changed = changes.reduce((all, [from, to]) => all.replace(from, to), text);
    return {
      path,
      content: changed.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole),
    };
  });
}

/** Writes missing files. Returns the paths of written and of existing ones. */
export function writeNewFiles(
  folder: string,
  files: readonly NewFile[],
): { readonly written: readonly string[]; readonly left: readonly string[] } {
  const targets = files.map((file) => ({ ...file, target: safePath(folder, file.path) }));
  const [left, missing] = [true, false].map((isThere) =>
    targets.filter(({ target }) => existsSync(target) === isThere),
  );
  for (const { target, content } of missing ?? []) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { flag: "wx" });
  }
  const paths = (of: typeof left = []): readonly string[] => of.map(({ path }) => path);
  return { written: paths(missing), left: paths(left) };
}

function textsOf(template: keyof typeof LAYERS): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const root of LAYERS[template].map((layer) => join(templates(), layer)))
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const whole = join(entry.parentPath, entry.name);
      const path = whole.slice(root.length + 1).replaceAll("\\", "/");
      files.set(path.replace(DOTTED, "."), readFileSync(whole, "utf8"));
    }
  return files;
}

/** The folder is in the repository and in the package `edgecrew`, else in the package `create-edgecrew`. */
function templates(): string {
  const [here, own] = ["../../create/templates", "../templates"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return here !== undefined && existsSync(here) ? here : (own ?? "");
}
