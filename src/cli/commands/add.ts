import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addToProject } from "../add/add-to-project.ts";
import { catalogueTool, nearestTools } from "../add/catalogue-tool.ts";
import {
  agentFiles,
  catalogueToolFiles,
  crewFiles,
  flowFiles,
  hookFiles,
  knowledgeFiles,
  scheduleFiles,
  skillFiles,
  skillNext,
  toolFiles,
  type Addition,
} from "../add/new-files.ts";
import { skillFrom } from "../add/skill-source.ts";
import { addedTarget } from "../add/trigger-target.ts";
import { CATALOGUE_NAMES } from "../../wire/catalogue-names.ts";
import { mostLike, toolKey } from "../../wire/tool-key.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext, type Command } from "../command.ts";
import { projectPackage } from "../deploy/check-project.ts";
import { packageFolder } from "../package-folder.ts";
import { needProject } from "../project.ts";

const NAME = /^[a-z][a-z0-9_-]{0,57}$/i;

/** Throws exit code 2 for an invalid name of a file or a definition. */
function checked(name: string | undefined): string {
  if (name !== undefined && NAME.test(name) && !/^(?:con|nul|prn|aux)$/i.test(name)) return name;
  throw wrongUse(
    `a name has letters, digits, - and _, begins with a letter, and has at most 58 characters; got ${JSON.stringify(name ?? "")}`,
  );
}

/** Makes a command for a kind with only a name. */
function plain(kind: string, about: string, filesOf: (name: string) => Addition): Command {
  return command({
    name: `add ${kind}`,
    about,
    args: "<name>",
    example: `edgecrew add ${kind} desk`,
    options: {},
    run: async (context, { args: [name] }) => {
      addToProject(context, filesOf(checked(name)));
      return Promise.resolve(0);
    },
  });
}

export const addCrew = plain("crew", "add a crew: crews/<name>/", crewFiles);
export const addFlow = plain("flow", "add a flow: flows/<name>.yaml", flowFiles);
export const addAgent = plain("agent", "add an agent: src/agents/<name>.ts", agentFiles);
export const addKnowledge = plain(
  "knowledge",
  "add a document to look up: knowledge/<name>.md",
  knowledgeFiles,
);

/** `edgecrew add tool`: adds a tool of the catalogue, or an empty one. */
export const addTool = command({
  name: "add tool",
  about: "add a tool: one of the catalogue by its name, or an empty one",
  args: "<name>",
  example: "edgecrew add tool SerperDevTool",
  options: {},
  run: async (context, { args: [typed] }) => {
    const name = checked(typed);
    const { folder } = needProject(context);
    const found = projectPackage(folder) ?? packageFolder();
    const known = catalogueTool(name, found);
    if (known !== undefined && hasWholeCatalogue(context)) {
      const next = `name it in a task or an agent: tools: [${name}]`;
      context.out.result({ written: [], add: [], next: [next] }, () =>
        ["The Worker has the whole catalogue.", "", "Next:", `  ${next}`].join("\n"),
      );
    } else if (known !== undefined)
      addToProject(
        context,
        catalogueToolFiles({ ...known, file: kebab(known.factory), className: name }),
      );
    else if (name.endsWith("Tool") || CATALOGUE_NAMES.has(toolKey(name)))
      throw wrongUse(
        `the catalogue has no tool ${name}${mostLike(nearestTools(name, found))}`,
        `for one of your own: edgecrew add tool ${kebab(name.replace(/Tool$/, "")) || "my-tool"}`,
      );
    else addToProject(context, toolFiles(name));
    return Promise.resolve(0);
  },
});

/** True if definitions can already name every tool of the catalogue. */
function hasWholeCatalogue(context: CliContext): boolean {
  const { folder, config } = needProject(context);
  const main = typeof config["main"] === "string" ? config["main"] : "src/worker.ts";
  const path = join(folder, main);
  return existsSync(path) && /\btoolCatalog\(\)/.test(readFileSync(path, "utf8"));
}

const kebab = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

/** `edgecrew add skill`: adds an empty skill, or copies an existing one. */
export const addSkill = command({
  name: "add skill",
  about: "add a skill: skills/<name>/, empty or from a folder or a Git repository",
  args: "<name>",
  example: "edgecrew add skill house-style",
  options: {
    from: { about: "a folder or a Git address that has it", value: "place" },
  },
  run: async (context, { args: [typed], options: { from } }) => {
    const name = checked(typed);
    if (from === undefined) {
      addToProject(context, skillFiles(name));
      return 0;
    }
    needProject(context);
    const files = await skillFrom(context, from, name);
    addToProject(context, {
      files: files.map(({ path, content }) => ({
        path: join("skills", name, path).replaceAll("\\", "/"),
        text: content,
      })),
      next: skillNext(name),
    });
    return 0;
  },
});

/** `edgecrew add schedule`: adds a schedule that starts a crew. */
export const addSchedule = command({
  name: "add schedule",
  about: "add a schedule of the code: src/schedules/<name>.ts",
  args: "<name>",
  example: "edgecrew add schedule digest --crew research",
  options: {
    crew: { about: "crew to start; default: the only one", value: "name" },
    cron: { about: 'when, in UTC; default "0 7 * * 1-5"', value: "cron" },
  },
  run: async (context, { args: [typed], options: { crew, cron = "0 7 * * 1-5" } }) => {
    const name = checked(typed);
    if (!/^(?:@\w+|\S+(?:\s+\S+){4})$/.test(cron.trim()))
      throw wrongUse(`--cron: expected five fields, got ${JSON.stringify(cron)}`, '"0 7 * * 1-5"');
    addToProject(context, scheduleFiles(name, { ...(await addedTarget(context, crew)), cron }));
    return 0;
  },
});

const SCHEMES = ["standard", "github", "stripe", "slack", "hmac"] as const;

/** `edgecrew add hook`: adds a signed webhook that starts a crew. */
export const addHook = command({
  name: "add hook",
  about: "add a webhook of the code: src/hooks/<name>.ts",
  args: "<name>",
  example: "edgecrew add hook issues --scheme github",
  options: {
    crew: { about: "crew to start; default: the only one", value: "name" },
    scheme: {
      about: "signature scheme of the sender; default standard",
      value: "scheme",
      choices: SCHEMES,
    },
  },
  run: async (context, { args: [typed], options: { crew, scheme = "standard" } }) => {
    const name = checked(typed);
    addToProject(context, hookFiles(name, { ...(await addedTarget(context, crew)), scheme }));
    return 0;
  },
});
