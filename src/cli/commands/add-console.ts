import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject } from "../../base/json.ts";
import { addToProject } from "../add/add-to-project.ts";
import type { NewFile } from "../add/new-files.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { withAddition } from "../deploy/add-to-config.ts";
import { needProject, type Project } from "../project.ts";

const ASSETS = {
  directory: "node_modules/edgecrew/dist/console-root",
  binding: "ASSETS",
} as const;

/** `edgecrew add console`: adds the console to a project without one. */
export const addConsole = command({
  name: "add console",
  about: "add the web console, under /console/",
  example: "edgecrew add console",
  options: {},
  run: async (context) => {
    const project = needProject(context);
    const { folder, config } = project;
    const main = typeof config["main"] === "string" ? config["main"] : "src/worker.ts";
    const path = join(folder, main);
    if (existsSync(path) && readFileSync(path, "utf8").includes("edgecrew/console"))
      throw wrongUse(`${main} has a console already`, "edgecrew console");
    const { changes, next } = withAssets(project);
    addToProject(context, {
      files: [],
      changes,
      registration: {
        imports: [`import { console } from "edgecrew/console";`],
        at: ["console"],
        entry: "",
        call: "console(",
      },
      next: [...next, "edgecrew dev", "edgecrew console"],
    });
    return Promise.resolve(0);
  },
});

/**
 * Adds the pages to the configuration as its assets. If the project has other assets, returns the steps to combine
 * them.
 */
function withAssets({ configFile, config }: Project): {
  readonly changes: readonly NewFile[];
  readonly next: readonly string[];
} {
  const { assets } = config;
  if (!isJsonObject(assets)) {
    const text = readFileSync(configFile, "utf8");
    const changed = configFile.endsWith(".toml")
      ? `${text.trimEnd()}\n\n[assets]\ndirectory = "${ASSETS.directory}"\nbinding = "${ASSETS.binding}"\n`
      : withAddition(text, { assets: ASSETS });
    return { changes: [{ path: basename(configFile), text: changed }], next: [] };
  }
  const { directory, binding } = assets;
  if (directory === ASSETS.directory && binding === ASSETS.binding)
    return { changes: [], next: [] };
  const name = basename(configFile);
  return {
    changes: [],
    next: [
      ...(binding === ASSETS.binding
        ? []
        : [`the binding "${ASSETS.binding}" for the assets of ${name}`]),
      `edgecrew console copy ${typeof directory === "string" ? directory : "<folder of assets>"}, whenever your assets are built`,
    ],
  };
}
