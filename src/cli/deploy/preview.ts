// A version only for its testers.
//
//   PRV1. It uses the objects and the database of its environment, so these may not contain data of real users.
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { Cloud, DeployOptions } from "../cloud/cloud.ts";
import { environmentsOf, sharedResources } from "../shared-resources.ts";
import type { Environment } from "../environment.ts";
import type { Project } from "../project.ts";
import { refuseClassChange } from "./class-change.ts";

/** Undefined without `--preview`. Throws exit code 2. */
export function previewAlias({
  preview,
  previewAlias: alias,
  gradual,
  drain,
}: {
  readonly preview: boolean;
  readonly previewAlias: string | undefined;
  readonly gradual: number | undefined;
  readonly drain: string | undefined;
}): string | undefined {
  if (!preview && alias === undefined) return undefined;
  if (gradual !== undefined || drain !== undefined)
    throw wrongUse("--preview deploys no version: it takes neither --gradual nor --drain");
  if (alias !== undefined && !/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(alias))
    throw wrongUse(
      `--preview-alias: expected up to 40 of a-z, 0-9 and -, a letter first, got ${JSON.stringify(alias)}`,
    );
  return alias ?? "";
}

const OWN = "--env preview --suffix pr-12 makes a deployment with everything of its own";

/** Throws exit code 1 for an environment with data of real users. */
export function refuseSharedPreview({ config }: Project, environment: Environment): void {
  const { env, worker } = environment;
  if (env === undefined || env === "production")
    throw new CliFailure(
      1,
      `a preview of ${worker} would have its runs and its database: those of real users`,
      { code: "preview_shares_data", fix: `name an environment with its own; ${OWN}` },
    );
  const shared = sharedResources(environment, environmentsOf(config, environment));
  if (shared.length > 0)
    throw new CliFailure(
      1,
      `a preview would share data: ${shared.map(({ what, with: other }) => `${what} with ${other}`).join(", ")}`,
      { code: "preview_shares_data", fix: `give env.${env} names of its own; ${OWN}` },
    );
}

export type Preview = { readonly versionId: string; readonly url: string | undefined };

/** Sends the code as a version without requests. Throws exit code 1 if the platform cannot do it. */
export async function sendPreview(
  cloud: Cloud,
  {
    alias,
    hasWorker,
    worker,
    ...options
  }: DeployOptions & {
    readonly alias: string;
    readonly hasWorker: boolean;
    readonly worker: string;
  },
): Promise<Preview> {
  if (!hasWorker)
    throw new CliFailure(2, `${worker} is not deployed: a preview needs a deployed Worker`, {
      fix: "edgecrew deploy without --preview",
    });
  const uploaded = await cloud
    .upload({ ...options, ...(alias === "" ? {} : { alias }) })
    .catch(refuseClassChange);
  return { versionId: uploaded.versionId, url: uploaded.previewUrl };
}
