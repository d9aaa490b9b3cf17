import { CliFailure } from "../cli-failure.ts";
import { packageVersion } from "./check-project.ts";
import { smokeTest } from "./deployed-worker.ts";
import { deployStep, type DeploySession } from "./deploy-session.ts";
import { againCommand } from "./open-project.ts";
import type { SentCode } from "./send-code.ts";

/** Tests the deployment. After a failure the previous code is restored, or the command for it is printed. */
export async function smokeDeployment(
  session: DeploySession,
  {
    url,
    key,
    sent: { versionId, tag },
  }: { readonly url: string; readonly key: string | undefined; readonly sent: SentCode },
): Promise<void> {
  const { context, options, environment, cloud, project, preview } = session;
  const isShared = (options.gradual ?? 100) < 100;
  try {
    await smokeTest(context, {
      environment,
      url,
      key,
      expected: {
        version: versionId,
        tag,
        packageVersion: packageVersion(project.folder),
        sharedBy: isShared ? environment.worker : undefined,
      },
    });
  } catch (error) {
    if (!(error instanceof CliFailure) || preview !== undefined) throw error;
    const [, before] = await deployStep(session, "deployments", () => cloud.deployments());
    const last = before?.shares[0]?.version;
    const again = againCommand("rollback", context.global);
    if (last === undefined || !options.rollbackOnFailure) {
      const ways = [error.fix, last === undefined ? undefined : again].filter(
        (way) => way !== undefined,
      );
      throw new CliFailure(1, error.message, {
        code: error.code,
        ...(ways.length === 0 ? {} : { fix: ways.join("; or ") }),
      });
    }
    await deployStep(session, "rollback", () => cloud.rollback(last, error.message.slice(0, 100)));
    throw new CliFailure(1, `${error.message}; the code before (${last}) is back`, {
      code: error.code,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    });
  }
}
