// Finds the account of a deployment and checks its permissions.
import { CliFailure } from "../cli-failure.ts";
import type { Account, Cloud, CloudFault } from "../cloud/cloud.ts";
import type { Environment } from "../environment.ts";

const TOKEN_PERMISSIONS =
  "Workers Scripts: Edit, D1: Edit, Queues: Edit, Vectorize: Edit, Workers R2 Storage: Edit, Account Settings: Read";
const LOG_IN =
  "npx wrangler login, or CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID; a token needs " +
  TOKEN_PERMISSIONS;

/** Required permissions of a login, by their names in wrangler. Permissions of tokens are unknown. */
const NEEDED: Readonly<Record<string, (environment: Environment) => boolean>> = {
  "workers_scripts:write": () => true,
  "d1:write": ({ databases }) => databases.length > 0,
  "queues:write": ({ queues }) => queues.length > 0,
};

/** The account, and the permissions of the login if known. */
export type FoundAccount = Account["accounts"][number] & Pick<Account, "permissions">;

/** Returns the account of the deployment. Throws exit code 4 with the next step. */
export async function findAccount(
  cloud: Cloud,
  environment: Environment,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<FoundAccount> {
  const account = await cloud.whoami();
  if (account === undefined)
    throw new CliFailure(4, "not logged in to Cloudflare", {
      code: "not_logged_in",
      fix: LOG_IN,
    });
  const { accounts, permissions } = account;
  const wanted = variables["CLOUDFLARE_ACCOUNT_ID"] ?? environment.accountId;
  const found = wanted === undefined ? accounts : accounts.filter(({ id }) => id === wanted);
  const [only] = found;
  if (only === undefined)
    throw new CliFailure(4, `the login does not reach the account ${wanted ?? ""}`.trim(), {
      code: "not_allowed",
      fix: LOG_IN,
    });
  if (found.length > 1)
    throw new CliFailure(
      4,
      `the login reaches several accounts: ${found.map(({ id, name }) => `${name} (${id})`).join(", ")}`,
      {
        code: "several_accounts",
        fix: 'set CLOUDFLARE_ACCOUNT_ID, or "account_id" in the configuration',
      },
    );
  if (permissions === undefined) return { ...only, permissions };
  const missing = Object.entries(NEEDED)
    .filter(([name, isNeeded]) => isNeeded(environment) && !permissions.includes(name))
    .map(([name]) => name);
  if (missing.length > 0)
    throw new CliFailure(4, `the login lacks permissions: ${missing.join(", ")}`, {
      code: "not_allowed",
      fix: "npx wrangler logout, then npx wrangler login, and allow all of it",
    });
  return { ...only, permissions };
}

const PRODUCTS: ReadonlyArray<readonly [string, string]> = [
  ["d1", "D1: Edit"],
  ["queues", "Queues: Edit"],
  ["vectorize", "Vectorize: Edit"],
  ["r2", "Workers R2 Storage: Edit"],
  ["whoami", "Account Settings: Read"],
];

/** A fault of the account as a failure, with the next step. */
export function accountFailure({ kind, message, command }: CloudFault): CliFailure | undefined {
  if (kind === "not_logged_in")
    return new CliFailure(4, message, { code: "not_logged_in", fix: LOG_IN });
  if (kind === "several_accounts")
    return new CliFailure(4, message, {
      code: "several_accounts",
      fix: "set CLOUDFLARE_ACCOUNT_ID",
    });
  if (kind !== "not_allowed") return undefined;
  const [, permission = "Workers Scripts: Edit"] =
    PRODUCTS.find(([product]) => command.startsWith(product)) ?? [];
  return new CliFailure(4, `the token is not allowed to: wrangler ${command}`, {
    code: "not_allowed",
    fix: `give it the permission ${permission}; all that is needed: ${TOKEN_PERMISSIONS}`,
  });
}
