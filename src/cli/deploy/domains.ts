import type { Finding } from "../check-config.ts";
import type { FoundAccount } from "./account-step.ts";
import type { DeploySession } from "./deploy-session.ts";
import { eachInTurn } from "./deployment.ts";

/**
 * Checks that the account has the zones of custom domains. Without them, the platform would accept the code and refuse
 * its address.
 */
export async function checkDomains(
  { cloud, environment }: Pick<DeploySession, "cloud" | "environment">,
  { permissions }: FoundAccount,
): Promise<readonly Finding[]> {
  const { domains, env } = environment;
  const found = await eachInTurn(domains, async (domain): Promise<readonly Finding[]> => {
    if (await cloud.hasZone(domain)) return [];
    return [
      {
        code: "no_zone",
        place: env === undefined ? "routes" : `env.${env}.routes`,
        message: `${domain} is in no zone of the account`,
        fix: "add the domain to the account (dash.cloudflare.com, Add a domain), or remove the route; a token needs Zone: Read to see zones",
        // For a token without permission, the account reports no zones.
        isError: permissions !== undefined,
      },
    ];
  });
  return found.flat();
}
