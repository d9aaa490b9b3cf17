// Files of a project: text by path, each parsed on first use.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue, parsedJson } from "../base/json.ts";
import { readSkill } from "../agent/skills/read-skill.ts";

/** The texts of a project by their path in it: `config/agents.yaml`, `crew.jsonc`, `agents/researcher.jsonc`. */
export type ProjectFiles = Readonly<Record<string, string>>;

export class FileTree {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(files: ProjectFiles) {
    this.#texts = new Map(Object.entries(files).map(([path, text]) => [tidy(path), text]));
  }

  get paths(): readonly string[] {
    return [...this.#texts.keys()];
  }

  text(path: string): string {
    return this.#texts.get(path) ?? "";
  }

  find(pattern: RegExp): string | undefined {
    return this.paths.find((path) => pattern.test(path));
  }

  /** Throws `invalid_definition` for a missing file. */
  need(pattern: RegExp, expected: string): string {
    const found = this.find(pattern);
    if (found !== undefined) return found;
    const got = this.paths.join(", ") || "no file";
    throw new EngineError("invalid_definition", `a crew project needs ${expected}, got ${got}`);
  }

  /** Path of the file of the agent with this name. */
  agent(name: string): string | undefined {
    return this.find(new RegExp(`(^|/)agents/${escapedPattern(name)}\\.(jsonc?|ya?ml)$`));
  }

  /** Returns the texts of a prompt file; undefined if the project lacks it. Throws `invalid_definition`. */
  prompts(path: string): JsonObject | undefined {
    const file = this.find(new RegExp(`(^|/)${escapedPattern(tidy(path))}$`));
    if (file === undefined) return undefined;
    const prompts = parsedJson(this.text(file));
    if (isJsonObject(prompts)) return prompts;
    throw new EngineError("invalid_definition", `${file} must be a JSON object of texts`);
  }

  /** Replaces paths of folders with a `SKILL.md` with those skills. Throws `invalid_definition`. */
  skills(sources: readonly JsonValue[]): JsonValue[] {
    return sources.flatMap((source) => {
      if (typeof source !== "string" || source.trimStart().startsWith("---")) return [source];
      const folder = tidy(source).replace(/\/?(SKILL\.md)?$/, "");
      const pattern = new RegExp(`(^|/)${escapedPattern(folder)}/([^/]+/)?SKILL\\.md$`);
      const files = this.paths.filter((path) => pattern.test(path));
      return files.length === 0 ? [source] : files.map((file) => this.#skill(file));
    });
  }

  #skill(file: string): JsonValue {
    const folder = file.replace(/SKILL\.md$/, "");
    const others = this.paths.filter((path) => path.startsWith(folder) && path !== file);
    const resources = Object.fromEntries(
      others.map((path) => [path.slice(folder.length), this.text(path)]),
    );
    return readSkill(this.text(file), others.length === 0 ? {} : { resources });
  }
}

/** `./skills/` as `skills`. */
function tidy(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/^(\.?\/)+/, "")
    .replace(/\/+$/, "");
}

function escapedPattern(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
