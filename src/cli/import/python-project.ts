// Reads the `pyproject.toml` of a project.
//
//   PYP1. The import reads its name, `[tool.crewai] type` and `definition`, and packages with tools, which are open
//         places.
import { parse } from "smol-toml";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { openFile, type OpenPlace } from "./open-places.ts";

export type PythonProject = {
  /** Its folder, with a slash at the end; empty for the top folder. */
  readonly folder: string;
  readonly name: string | undefined;
  /** File with its crew or flow, if any. */
  readonly definition: { readonly path: string; readonly type: "crew" | "flow" } | undefined;
};

type Texts = ReadonlyMap<string, string>;

/** Returns the projects among the files, deeper ones first. */
export function pythonProjects(texts: Texts): {
  readonly projects: readonly PythonProject[];
  readonly open: readonly OpenPlace[];
} {
  const open: OpenPlace[] = [];
  const projects = [...texts].flatMap(([path, text]): PythonProject[] => {
    if (!/(^|\/)pyproject\.toml$/.test(path)) return [];
    try {
      return [readProject(path, { text, texts, open })];
    } catch (error) {
      const [reason = ""] = (error as Error).message.split("\n");
      open.push(openFile(path, `cannot be read: ${reason}`));
      return [];
    }
  });
  return { projects: projects.toSorted((a, b) => b.folder.length - a.folder.length), open };
}

function readProject(
  path: string,
  {
    text,
    texts,
    open,
  }: { readonly text: string; readonly texts: Texts; readonly open: OpenPlace[] },
): PythonProject {
  const whole = parse(text) as JsonValue;
  const folder = path.replace(/[^/]*$/, "");
  const project = at(whole, "project");
  const poetry = at(whole, "tool", "poetry");
  const crewai = at(whole, "tool", "crewai");
  const name = [at(project, "name"), at(poetry, "name")].find((each) => typeof each === "string");
  for (const each of dependencies(project, poetry))
    if (BRINGS_TOOLS.test(each))
      open.push(
        openFile(
          path,
          `the package \`${each}\` brings tools that are not read: see the tool catalogue, or write them in TypeScript`,
        ),
      );
  const type = at(crewai, "type") ?? "crew";
  const named = at(crewai, "definition");
  if (type !== "crew" && type !== "flow") {
    open.push(openFile(path, "`type` of `[tool.crewai]` is neither crew nor flow"));
    return { folder, name, definition: undefined };
  }
  if (typeof named !== "string") return { folder, name, definition: undefined };
  const definition = joined(folder, named);
  if (definition === undefined || !texts.has(definition)) {
    open.push(
      openFile(path, `the \`definition\` of \`[tool.crewai]\`, ${named}, is not among the files`),
    );
    return { folder, name, definition: undefined };
  }
  return { folder, name, definition: { path: definition, type } };
}

/** Packages with tools for agents; not those with models or servers. */
const BRINGS_TOOLS =
  /^(crewai-(?!tools$|files$).+|.+-crewai|langchain-(community|tools|experimental))$/;

function dependencies(
  project: JsonValue | undefined,
  poetry: JsonValue | undefined,
): readonly string[] {
  const listed = at(project, "dependencies");
  const named = at(poetry, "dependencies");
  const all = [
    ...(Array.isArray(listed) ? (listed as readonly JsonValue[]) : []),
    ...(isJsonObject(named) ? Object.keys(named) : []),
  ];
  return all.flatMap((each) => {
    const name = typeof each === "string" ? /^[\w.-]+/.exec(each.trim())?.[0] : undefined;
    return name === undefined ? [] : [name.toLowerCase().replaceAll(/[_.]+/g, "-")];
  });
}

function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let here = value;
  for (const key of path)
    here = isJsonObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  return here;
}

/** Undefined for a path out of the top folder. */
function joined(folder: string, path: string): string | undefined {
  const parts = folder.split("/").filter((part) => part !== "");
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
