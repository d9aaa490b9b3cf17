import { command } from "../command.ts";
import { DEPLOY_OPTIONS } from "../deploy/deploy-options.ts";
import { runDeployment } from "../deploy/run-deployment.ts";

/** `edgecrew deploy`: makes missing resources in the account, sends the code, and tests it. */
export const deploy = command({
  name: "deploy",
  about: "deploy the project: resources, code, and a test of it",
  example: "edgecrew deploy --env production",
  options: DEPLOY_OPTIONS,
  run: (context, { options }) => runDeployment(context, options),
});
