import { existsSync, readdirSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import type { NewFile } from "../import/import-project.ts";
import { ProgramOutput } from "../program-output.ts";
import { projectName } from "../project-name.ts";
import { fetchSource } from "../fetch-source.ts";
import { crewAiProject } from "../crewai-project.ts";
import { counted } from "../counted.ts";
import { importFolder } from "../import-folder.ts";
import { TEMPLATES, templateFiles, writeNewFiles, type TemplateName } from "../write-template.ts";

const NAMES = Object.keys(TEMPLATES) as TemplateName[];
const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;
const FOLDER = "my-crew";
/** pnpm fails if a package has an installation script without permission. */
const PNPM_SETTINGS = {
  path: "pnpm-workspace.yaml",
  content: "allowBuilds:\n  esbuild: true\n  workerd: true\n",
};

/** `edgecrew create`, and `npm create edgecrew`: a new project. */
export const create = command({
  name: "create",
  about: "make a new project",
  args: "[folder]",
  example: "edgecrew create my-crew --template yaml",
  options: {
    template: { about: "template", value: "name" },
    from: { about: "a CrewAI project to begin with, instead of a template", value: "folder|git" },
    name: { about: "the project's name, if it is not the folder's", value: "name" },
    pm: { about: "the package manager", value: "name", choices: MANAGERS },
    install: { about: "install of its packages", on: true },
    git: { about: "Git repository", on: true },
    force: { about: "write into a folder that is not empty; its files stay as they are" },
    list: { about: "list the templates" },
    edgecrew: { about: "the version of edgecrew, or a tarball", value: "spec", hidden: true },
  },
  run: async (context, { args: [named], options }) => {
    const { out, version } = context;
    if (options.list) {
      out.table({ rows: NAMES, value: { ...TEMPLATES }, none: "" }, [
        { title: "template", of: (name) => name },
        { title: "description", of: (name) => TEMPLATES[name] },
      ]);
      return 0;
    }
    if (options.from !== undefined && options.template !== undefined)
      throw wrongUse("a project begins with --template or with --from, not with both");
    const path = named ?? (await askFolder(context, options.from));
    const { folder, name } = placeOf(context.cwd, path, options.name);
    checkEmpty(folder, options.force);
    const values = { name, edgecrew: options.edgecrew ?? version };
    const { files, ...made } =
      options.from === undefined
        ? await fromTemplate(context, options.template, values)
        : await fromCrewAi(context, options.from, { ...values, folder });
    if (options.name === undefined && basename(path) !== name) out.note(`its name is ${name}`);
    const manager = options.pm ?? callerOf(context.variables);
    const { written, left } = writeNewFiles(folder, [
      ...files,
      ...(manager === "pnpm" ? [PNPM_SETTINGS] : []),
    ]);
    for (const file of left) out.note(`left as it was: ${file}`);
    if (made.open !== undefined && made.open > 0)
      out.note(`${counted(made.open, "place")} left to be done by hand: see import.md`);
    if (options.git && !existsSync(join(folder, ".git")))
      await tried(context, { program: "git", args: ["init", "--quiet"], folder });
    const installed =
      options.install && (await tried(context, { program: manager, args: ["install"], folder }));
    const place = relative(context.cwd, folder);
    out.result({ folder, name, ...made, written, left, installed }, () =>
      [
        `${name} is made. Next:`,
        "",
        ...(place === "" ? [] : [`  cd ${place}`]),
        ...(installed ? [] : [`  ${manager} install`]),
        `  ${manager} start`,
      ].join("\n"),
    );
    return options.install && !installed ? 5 : 0;
  },
});

type MadeOf = {
  readonly files: readonly NewFile[];
  readonly template?: TemplateName;
  /** Number of an import's open places. */
  readonly open?: number;
};

async function fromTemplate(
  context: CliContext,
  named: string | undefined,
  values: Readonly<Record<string, string>>,
): Promise<MadeOf> {
  const template = await templateOf(context, named);
  return { template, files: templateFiles(template, values) };
}

async function fromCrewAi(
  context: CliContext,
  from: string,
  { folder, ...values }: { readonly name: string; readonly edgecrew: string; folder: string },
): Promise<MadeOf> {
  const source = await fetchSource(context, from);
  try {
    const imported = importFolder(source.folder, { cwd: context.cwd, shown: source.shown });
    const way = source.isLocal
      ? relative(folder, source.folder).replaceAll("\\", "/")
      : source.shown;
    return {
      files: crewAiProject(imported, { ...values, from: way }),
      open: imported.report.open,
    };
  } finally {
    source.release();
  }
}

async function askFolder(
  { prompt, global, cwd }: CliContext,
  from: string | undefined,
): Promise<string> {
  const initial = from === undefined ? FOLDER : folderFor(cwd, from);
  return prompt === undefined || global.yes
    ? initial
    : prompt.text({ message: "Folder?", initial });
}

/** Names the folder after its source, beside it. */
function folderFor(cwd: string, from: string): string {
  const last = basename(resolve(cwd, from.replace(/[/\\]+$/, "").replace(/^.*:/, ""), "."));
  const name = projectName(last.replace(/\.git$/, ""));
  return existsSync(join(cwd, name)) ? `${name}-edgecrew` : name;
}

async function templateOf(
  { prompt, global }: CliContext,
  named: string | undefined,
): Promise<TemplateName> {
  if (named === undefined)
    return prompt === undefined || global.yes
      ? "crew"
      : prompt.choose(
          { message: "Template?" },
          NAMES.map((value) => ({ value, hint: TEMPLATES[value] })),
        );
  const found = NAMES.find((each) => each === named);
  if (found !== undefined) return found;
  throw wrongUse(
    `there is no template ${JSON.stringify(named)}; there are: ${NAMES.join(", ")}`,
    "edgecrew create --list",
  );
}

/** Returns the folder of the project. Throws exit code 2 for a place outside of the current folder. */
function placeOf(
  cwd: string,
  path: string,
  named: string | undefined,
): { readonly folder: string; readonly name: string } {
  if (path.trim() === "") throw wrongUse("a project needs a folder, got an empty name");
  const whole = resolve(cwd, path);
  const below = relative(cwd, whole);
  if (below.startsWith("..") || isAbsolute(below))
    throw wrongUse(
      `expected a folder here, got ${JSON.stringify(path)}`,
      `edgecrew create ${basename(whole)} --cwd ${join(whole, "..")}`,
    );
  const name = projectName(named ?? basename(whole));
  const isHere = below === "";
  return {
    name,
    folder: isHere ? whole : join(whole, "..", named === undefined ? name : basename(whole)),
  };
}

function checkEmpty(folder: string, force: boolean): void {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file !== ".git") : [];
  if (files.length === 0 || force) return;
  const more = files.length > 5 ? `, and ${files.length - 5} more` : "";
  throw wrongUse(
    `${folder} is not empty: ${files.slice(0, 5).join(", ")}${more}`,
    "--force writes only missing files",
  );
}

/** Returns the package manager of the calling process. */
function callerOf(variables: CliContext["variables"]): string {
  const [caller] = (variables["npm_config_user_agent"] ?? "").split("/");
  return MANAGERS.find((each) => each === caller) ?? "npm";
}

async function tried(
  { processes, variables, out }: CliContext,
  { program, args, folder }: { program: string; args: readonly string[]; folder: string },
): Promise<boolean> {
  const output = new ProgramOutput();
  const { exited } = processes.startProgram(program, args, {
    cwd: folder,
    variables,
    onText: output.add,
  });
  const code = await exited;
  if (code === 0) return true;
  const said = out.isVerbose ? output.whole : output.reason;
  out.note(`! ${program} ${args.join(" ")} failed: ${said}`);
  return false;
}
