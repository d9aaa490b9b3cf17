// Two versions of the code side by side.
//
//   SHR1. The newer version is always first: an object keeps its version only as long as the order stays and the share
//         grows.
//   SHR2. Code that makes or removes classes of objects is not sent beside other code: the platform cannot do it.
import { CliFailure } from "../cli-failure.ts";
import type { Cloud, CloudDeployment, Deployed, DeployOptions, Share } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";
import { refuseClassChange } from "./class-change.ts";

/** Sends the code as a version, and gives it some of the requests. */
export async function sendGradually(
  cloud: Cloud,
  {
    percentage,
    environment,
    hasWorker,
    ...options
  }: DeployOptions & {
    readonly percentage: number;
    readonly environment: Environment;
    readonly hasWorker: boolean;
  },
): Promise<Deployed> {
  const [present] = hasWorker ? await cloud.deployments() : [];
  const [old] = present?.shares ?? [];
  if (present === undefined || old === undefined)
    throw new CliFailure(
      2,
      `${environment.worker} is not deployed: sharing needs a deployed Worker`,
      {
        fix: "edgecrew deploy without --gradual",
      },
    );
  if (present.shares.length > 1)
    throw new CliFailure(2, "two versions are deployed already", {
      fix: "edgecrew promote, or edgecrew rollback, first",
    });
  const uploaded = await cloud.upload(options).catch(refuseClassChange);
  const { versionId } = uploaded;
  await cloud.route([
    { version: versionId, percentage },
    { version: old.version, percentage: 100 - percentage },
  ]);
  return { versionId, targets: [] };
}

/** Returns the shares after an increase for the newer version. Throws exit code 2. */
export function promoted(deployment: CloudDeployment | undefined, to: number): readonly Share[] {
  const [newer, older] = deployment?.shares ?? [];
  if (newer === undefined || older === undefined)
    throw new CliFailure(2, "there are no two versions side by side", {
      fix: "edgecrew deploy --gradual 10",
    });
  if (to <= newer.percentage)
    throw new CliFailure(2, `the newer version has ${newer.percentage} % already, got --to ${to}`, {
      fix: "a share only grows; edgecrew rollback takes it back",
    });
  if (to === 100) return [{ version: newer.version, percentage: 100 }];
  return [
    { version: newer.version, percentage: to },
    { version: older.version, percentage: 100 - to },
  ];
}
