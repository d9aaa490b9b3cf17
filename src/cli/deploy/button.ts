// Deployment through a "Deploy to Cloudflare" button: in a build of Cloudflare, with a token of its own.
//
//   BTN1. If the build may not make queues, the code is deployed without them, and the command prints the manual steps.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CloudFault } from "../cloud/cloud.ts";
import { WranglerCloud } from "../cloud/wrangler-cloud.ts";
import { environmentOf } from "../environment.ts";
import type { DeploySession } from "./deploy-session.ts";
import { queuesStep } from "./resource-steps.ts";

/** Makes missing queues. Returns a session without queues if the token does not allow them. */
export async function queuesOrWithout(session: DeploySession): Promise<DeploySession> {
  const { deployment, context, environment } = session;
  try {
    for (const { run } of await queuesStep.look(deployment)) await run?.();
    return session;
  } catch (error) {
    if (!(error instanceof CloudFault) || error.kind !== "not_allowed") throw error;
    const commands = environment.queues.map((name) => `    npx wrangler queues create ${name}`);
    context.out.note(
      [
        "! this build may not make queues: it is deployed without them, and runs start their children themselves",
        "  to have them, with a login of your own:",
        ...commands,
        "    edgecrew deploy",
      ].join("\n"),
    );
    return withoutQueues(session);
  }
}

/** Makes the same session with a configuration beside the project's, as its paths are relative to it. */
function withoutQueues(session: DeploySession): DeploySession {
  const { project, context, environment, deployment } = session;
  const { env } = environment;
  const { env: environments } = project.config;
  const { queues: _, ...top } = project.config;
  const own = env !== undefined && isJsonObject(environments) ? environments[env] : undefined;
  const { queues: __, ...rest } = isJsonObject(own) ? own : {};
  const config: JsonObject = env === undefined ? top : { ...top, env: { [env]: rest } };
  const configFile = join(project.folder, ".edgecrew-button.json");
  writeFileSync(configFile, JSON.stringify(config));
  const { variables, clock, signal } = context;
  const world = { folder: project.folder, variables, clock, signal };
  const cloud = new WranglerCloud({ ...world, env, configFile });
  const changed = { ...environmentOf(config, env), stateName: environment.stateName };
  return {
    ...session,
    cloud,
    environment: changed,
    deployment: { ...deployment, cloud, environment: changed },
    close: () => {
      rmSync(configFile, { force: true });
      session.close();
    },
  };
}
