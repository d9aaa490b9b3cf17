import type { DeploySession } from "./deploy-session.ts";
import { againCommand } from "./open-project.ts";
import type { SecretsPlan } from "./secrets-plan.ts";
import type { SentCode } from "./send-code.ts";

/** Prints the end of a deployment: its address, its key once, the next steps, and the command to undo it. */
export function sayDeployed(
  { context, options, environment }: DeploySession,
  {
    url,
    sent,
    profile,
    secrets,
  }: {
    readonly url: string | undefined;
    readonly sent: SentCode;
    readonly profile: string;
    readonly secrets: SecretsPlan;
  },
): void {
  const { out, global } = context;
  const { adminKey, left } = secrets;
  const isKept = adminKey !== undefined && options.saveKey && url !== undefined;
  const again = (name: string): string => againCommand(name, global);
  const value = {
    worker: environment.worker,
    url: url ?? null,
    version: sent.versionId,
    profile: isKept ? profile : null,
    secrets: Object.keys(secrets.values),
  };
  const hasKey = secrets.actions.some(({ about }) => about === "EDGECREW_ADMIN_KEY");
  const key = isKept
    ? `${adminKey}  (shown once, stored in profile ${profile})`
    : adminKey !== undefined
      ? "is shown above, once"
      : hasKey
        ? "is set already"
        : "is not set: npx wrangler secret put EDGECREW_ADMIN_KEY";
  out.result(value, () =>
    [
      `address   ${url ?? "none: the configuration has no route, and workers.dev is off"}`,
      `version   ${sent.versionId}`,
      ...(url === undefined ? [] : [`console   ${url}/console/`]),
      `key       ${key}`,
      ...(url === undefined || options.fromButton
        ? []
        : [`next      edgecrew run --profile ${profile}`]),
      `undo      ${again("rollback")}`,
    ].join("\n"),
  );
  if (left.length > 0)
    out.note(`not sent of .dev.vars: ${left.join(", ")}; ${again("secrets put")} <name>`);
}

/** The end of a preview. */
export function sayPreview(
  { context, environment, preview }: DeploySession,
  { versionId, url }: SentCode,
): void {
  const { out } = context;
  const value = {
    worker: environment.worker,
    version: versionId,
    alias: preview === "" ? null : (preview ?? null),
    url: url ?? null,
  };
  out.result(value, () =>
    [
      `preview   ${url ?? "has no address"}`,
      `version   ${versionId}`,
      `deploy    npx wrangler versions deploy ${versionId}@100%${environment.env === undefined ? "" : ` --env ${environment.env}`}`,
    ].join("\n"),
  );
  if (url === undefined)
    out.note(
      "Cloudflare makes no preview addresses for Workers with objects; a deployment of its own has one: --suffix",
    );
}
