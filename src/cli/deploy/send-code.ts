import { commitOf, packageVersion } from "./check-project.ts";
import type { DeploySession } from "./deploy-session.ts";
import { packageObjectSchema, schemaMark } from "./object-schema.ts";
import { sendPreview } from "./preview.ts";
import { withPrivateFile } from "./private-file.ts";
import type { SecretsPlan } from "./secrets-plan.ts";
import { sendGradually } from "./shares.ts";

export type SentCode = {
  readonly versionId: string;
  /** Address of the version, if the account reports it. */
  readonly url: string | undefined;
  readonly tag: string | undefined;
};

/** Sends code and secrets: as the whole deployment, for a share of the requests, or for no requests. */
export async function sendCode(
  session: DeploySession,
  { secrets, hasWorker }: { readonly secrets: SecretsPlan; readonly hasWorker: boolean },
): Promise<SentCode> {
  const { cloud, context, options, environment, drain, preview } = session;
  const { message, gradual = 100 } = options;
  const { worker } = environment;
  const tag = tagOf(session);
  const send = async (secretsFile?: string): Promise<SentCode> => {
    const labels = { message, secretsFile, ...(tag === undefined ? {} : { tag }) };
    if (preview !== undefined) {
      const sent = await sendPreview(cloud, { ...labels, alias: preview, hasWorker, worker });
      return { ...sent, tag };
    }
    const { versionId, targets } =
      gradual < 100
        ? await sendGradually(cloud, { ...labels, percentage: gradual, environment, hasWorker })
        : await cloud.deploy({ ...labels, drain });
    return { versionId, url: targets[0], tag };
  };
  if (Object.keys(secrets.values).length === 0) return send();
  return withPrivateFile(context.variables, secrets.values, send);
}

/** `0.1.0+95006329ab.o3`: package, commit, layout of objects. Undefined if all of them are unknown. */
function tagOf({ options, project }: DeploySession): string | undefined {
  if (options.tag !== undefined) return options.tag;
  const { folder } = project;
  const schema = packageObjectSchema(folder);
  const build = [commitOf(folder), schema === undefined ? undefined : schemaMark(schema)]
    .filter((each) => each !== undefined)
    .join(".");
  const tag = [packageVersion(folder), build].filter((each) => each !== undefined && each !== "");
  return tag.length === 0 ? undefined : tag.join("+");
}
