import { rmSync } from "node:fs";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { CloudFault, type Cloud } from "../cloud/cloud.ts";
import { WranglerCloud } from "../cloud/wrangler-cloud.ts";
import { environmentOf, type Environment } from "../environment.ts";
import type { GlobalOptions } from "../global-option-values.ts";
import type { Project } from "../project.ts";
import { accountFailure } from "./account-step.ts";
import { writeSuffixed } from "./suffixed-config.ts";

export type OpenProject = {
  readonly project: Project;
  readonly environment: Environment;
  readonly cloud: Cloud;
  /** Removes files written for wrangler. */
  readonly close: () => void;
};

/** The project around the folder, one environment of it, and its account. Throws exit code 2. */
export function openProject(context: CliContext, suffix?: string): OpenProject {
  const { project, global, variables, clock, signal } = context;
  if (project === undefined)
    throw wrongUse("there is no project here", "npm create edgecrew, or --cwd <folder>");
  const { folder } = project;
  const { environment, configFile } =
    suffix === undefined
      ? { environment: environmentOf(project.config, global.env), configFile: undefined }
      : writeSuffixed(project, { env: global.env, suffix });
  const { env } = environment;
  const cloud = new WranglerCloud({
    folder,
    variables,
    clock,
    signal,
    env,
    configFile,
  });
  const close = (): void => {
    if (configFile !== undefined) rmSync(configFile, { force: true });
  };
  return { project, environment, cloud, close };
}

/** Runs one action on the account. Errors name the action and the next step. */
export async function withAccount<Result>(
  what: string,
  work: () => Promise<Result>,
  { signal, again }: { readonly signal: AbortSignal; readonly again: string },
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted)
      throw new CliFailure(130, `interrupted at: ${what}`, {
        fix: `${again} goes on`,
        cause: error,
      });
    if (!(error instanceof CloudFault)) throw error;
    throw (
      accountFailure(error) ??
      new CliFailure(5, `${what}: wrangler ${error.command} failed: ${error.message}`, {
        code: "partly_done",
        fix: `${again} goes on from here`,
        cause: error,
      })
    );
  }
}

/** Returns the typed command without secrets. */
export function againCommand(name: string, { env, profile }: GlobalOptions, more = ""): string {
  const flags = [
    ...(env === undefined ? [] : [`--env ${env}`]),
    ...(profile === undefined ? [] : [`--profile ${profile}`]),
    ...(more === "" ? [] : [more]),
  ];
  return ["edgecrew", name, ...flags].join(" ");
}
