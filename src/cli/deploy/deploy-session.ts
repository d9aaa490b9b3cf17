import type { CliContext, OptionValues } from "../command.ts";
import { drainOf, type DEPLOY_OPTIONS } from "./deploy-options.ts";
import type { Deployment } from "./deployment.ts";
import { againCommand, withAccount, type OpenProject } from "./open-project.ts";
import { previewAlias } from "./preview.ts";

export type DeployOptionValues = OptionValues<typeof DEPLOY_OPTIONS>;

/** Complete state of a deployment. */
export type DeploySession = OpenProject & {
  readonly context: CliContext;
  readonly options: DeployOptionValues;
  readonly deployment: Deployment;
  readonly drain: string | undefined;
  /** Alias of a preview. Empty for a preview without alias; undefined without a preview. */
  readonly preview: string | undefined;
  /** Command to continue the deployment. */
  readonly again: string;
};

/** Throws exit code 2 for conflicting options. */
export function deploySession(
  context: CliContext,
  { options, opened }: { readonly options: DeployOptionValues; readonly opened: OpenProject },
): DeploySession {
  const { clock, signal, global } = context;
  const { cloud, environment, project } = opened;
  const { location, jurisdiction, suffix, force } = options;
  const place = {
    ...(location === undefined ? {} : { location }),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
  };
  const flags = [
    ...(suffix === undefined ? [] : [`--suffix ${suffix}`]),
    ...force.map((code) => `--force ${code}`),
  ];
  return {
    ...opened,
    context,
    options,
    drain: drainOf(options.drain),
    preview: previewAlias(options),
    deployment: { cloud, environment, folder: project.folder, place, clock, signal },
    again: againCommand("deploy", global, flags.join(" ")),
  };
}

/** Runs one step. Errors name the step and the command to continue. */
export function deployStep<Result>(
  { context, again }: Pick<DeploySession, "context" | "again">,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withAccount(name, work, { signal: context.signal, again });
}
