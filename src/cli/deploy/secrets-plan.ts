import type { CliContext } from "../command.ts";
import type { Action } from "./deployment.ts";
import { ADMIN_KEY, localSecrets, OWN_SECRETS, readSecretsFile } from "./worker-secrets.ts";
import { pendingKey } from "./admin-key.ts";

export type SecretsPlan = {
  readonly actions: readonly Action[];
  /** Secrets sent with the code. */
  readonly values: Readonly<Record<string, string>>;
  /** First key, if this deployment makes it. */
  readonly adminKey: string | undefined;
  /** Names in `.dev.vars` that are not in the deployment and were not sent. */
  readonly left: readonly string[];
};

/**
 * Collects missing secrets, which are made once, and those of a file. Those of `.dev.vars` are offered one by one,
 * never sent silently.
 */
export async function planSecrets(
  { variables, prompt }: CliContext,
  {
    there,
    folder,
    file,
    deployment,
    isPlan,
    makesAdminKey = true,
  }: {
    readonly there: readonly string[];
    readonly folder: string;
    readonly file: string | undefined;
    readonly deployment: string;
    /** True for a plan, which asks no questions. */
    readonly isPlan: boolean;
    /** False if no person would see the new key. */
    readonly makesAdminKey?: boolean;
  },
): Promise<SecretsPlan> {
  const written = file === undefined ? {} : readSecretsFile(file);
  const missing = Object.entries(OWN_SECRETS).filter(
    ([name]) =>
      !there.includes(name) && written[name] === undefined && (makesAdminKey || name !== ADMIN_KEY),
  );
  const made = Object.fromEntries(
    missing.map(([name, make]) => [
      name,
      (name === ADMIN_KEY ? pendingKey({ variables, deployment }) : undefined) ?? make(),
    ]),
  );
  const local = Object.entries(localSecrets(folder)).filter(
    ([name]) => !there.includes(name) && written[name] === undefined,
  );
  const taken: Record<string, string> = {};
  if (prompt !== undefined && !isPlan)
    for (const [name, value] of local)
      if (await prompt.confirm({ message: `Send ${name} of .dev.vars?`, initial: false }))
        taken[name] = value;
  const values = { ...made, ...taken, ...written };
  return {
    values,
    adminKey: made[ADMIN_KEY],
    left: local.map(([name]) => name).filter((name) => taken[name] === undefined),
    actions: [
      ...there.map((name): Action => ({ about: name, state: "there" })),
      ...Object.keys(values).map((name): Action => ({
        about: name,
        state: there.includes(name) ? "to change" : "to create",
      })),
    ],
  };
}
