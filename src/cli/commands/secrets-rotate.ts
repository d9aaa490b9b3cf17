import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { findAccount } from "../deploy/account-step.ts";
import { keepPendingKey, savePendingKey } from "../deploy/admin-key.ts";
import { deployedWorker, profileName } from "../deploy/deployed-worker.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";
import { secretNames, sendSecrets } from "../deploy/send-secrets.ts";
import { beginChange, finishChange, TWO_SECRETS, type TwoSecrets } from "../deploy/two-secrets.ts";
import { ADMIN_KEY, checkSecret, OWN_SECRETS } from "../deploy/worker-secrets.ts";

/** Each secret, and the effect of a new value. */
const ENDS: Readonly<Record<string, { readonly secret: string; readonly ends: string }>> = {
  admin: {
    secret: ADMIN_KEY,
    ends: "The old key is refused from then on, and its open streams end.",
  },
  files: {
    secret: "EDGECREW_FILES_SECRET",
    ends: "Addresses of files that were handed out stop working.",
  },
  token: {
    secret: "EDGECREW_TOKEN_KEY",
    ends: "Tokens that front ends have stop working.",
  },
};

/** `edgecrew secrets rotate`: gives a secret a new value. */
export const secretsRotate = command({
  name: "secrets rotate",
  about: "give a secret a new value: admin, secrets, webhook, files, token, or model:<NAME>",
  args: "<what>",
  example: "edgecrew secrets rotate admin",
  options: {
    finish: { about: "end the old value of secrets or webhook" },
    for: { about: "time for receivers of webhooks to change: default 7d", value: "span" },
    saveKey: { about: "keeping the new key in the profile", on: true },
  },
  run: async (context, { args: [what = ""], options }) => {
    const { out } = context;
    if (Object.hasOwn(TWO_SECRETS, what)) {
      const change = { what: what as TwoSecrets, opened: openProject(context), span: options.for };
      return options.finish ? finishChange(context, change) : beginChange(context, change);
    }
    if (options.finish || options.for !== undefined)
      throw wrongUse("--finish and --for are for secrets and webhook");
    if (what.startsWith("model:")) return rotateModelKey(context, what.slice("model:".length));
    const found = Object.hasOwn(ENDS, what) ? ENDS[what] : undefined;
    if (found === undefined)
      throw wrongUse(
        `expected admin, secrets, webhook, files, token or model:<NAME>, got ${JSON.stringify(what)}`,
      );
    const { secret, ends } = found;
    const opened = openProject(context);
    await secretNames(context, opened);
    context.out.note(ends);
    await confirm(context, `change ${secret}`);
    const value = OWN_SECRETS[secret]?.() ?? "";
    const again = againCommand(`secrets rotate ${what}`, context.global);
    if (what !== "admin") {
      await sendSecrets(context, { [secret]: value }, { again, opened });
      out.result({ rotated: secret }, () => `${secret} has a new value`);
      return;
    }
    const { cloud, environment } = opened;
    const account = await withAccount(
      "account",
      () => findAccount(cloud, environment, context.variables),
      { signal: context.signal, again },
    );
    const worker = deployedWorker(context, opened);
    const place = {
      variables: context.variables,
      deployment: `${account.id}/${environment.worker}`,
    };
    const profile = profileName(context, environment);
    const isKept = options.saveKey && worker !== undefined;
    // The key is stored before it is sent, so an interruption cannot lose it.
    if (isKept) keepPendingKey(place, value);
    else out.fault(`The new key, shown once: ${value}`);
    await sendSecrets(context, { [secret]: value }, { again, opened });
    if (isKept) savePendingKey(place, { name: profile, url: worker.url });
    out.result({ rotated: secret, profile: isKept ? profile : null }, () =>
      isKept
        ? `${secret} has a new value, stored in profile ${profile}`
        : `${secret} has a new value`,
    );
  },
});

async function rotateModelKey({ prompt, ...context }: CliContext, name: string): Promise<void> {
  if (prompt === undefined)
    throw wrongUse(
      "a new key is needed, and no terminal is there to ask for it",
      `edgecrew secrets put ${name} - < file`,
    );
  const value = await prompt.secret({ message: `New value of ${name}` });
  checkSecret(name, value);
  const again = againCommand(`secrets rotate model:${name}`, context.global);
  await sendSecrets({ prompt, ...context }, { [name]: value }, { again });
  context.out.result(
    { rotated: name },
    () => `${name} has a new value; delete the old one at its provider`,
  );
}
