// Replaces a secret while it is in use: the new value is valid beside the old one, until the change is finished.
//
//   TSE1. This machine has the new value before the account does, and keeps it until the change is finished.
//   TSE2. An encryption key is finished only when the Worker reads with both and no data encrypted with the old one is
//         left.
import { isJsonObject } from "../../base/json.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { timeSpan } from "../time-span.ts";
import { findAccount } from "./account-step.ts";
import { dropPendingKey, keepPendingKey, pendingKey, type KeyPlace } from "./admin-key.ts";
import { deployedWorker } from "./deployed-worker.ts";
import { againCommand, withAccount, type OpenProject } from "./open-project.ts";
import { secretNames, sendSecrets } from "./send-secrets.ts";
import { OWN_SECRETS } from "./worker-secrets.ts";

/** Secrets with this procedure: their variables, and the consequences for receivers. */
export const TWO_SECRETS = {
  secrets: { name: "EDGECREW_SECRETS_KEY", shown: false, span: undefined },
  webhook: { name: "EDGECREW_WEBHOOK_SECRET", shown: true, span: "7d" },
} as const;

export type TwoSecrets = keyof typeof TWO_SECRETS;

type Change = {
  readonly what: TwoSecrets;
  readonly opened: OpenProject;
  /** Time for receivers to change. */
  readonly span?: string | undefined;
};

/** Gives the Worker a second value. */
export async function beginChange(context: CliContext, change: Change): Promise<void> {
  const { what, opened, span } = change;
  const { out, clock } = context;
  const { name, shown, span: usual } = TWO_SECRETS[what];
  const lengthMs = timeSpan("--for", span ?? usual ?? "0s");
  const next = `${name}_NEW`;
  if ((await secretNames(context, opened)).includes(next))
    throw new CliFailure(1, `${name} is being changed already`, { fix: finishCommand(what) });
  out.note(
    what === "webhook"
      ? `Both secrets sign webhooks until the change is finished. After that, receivers with only the old one refuse deliveries; give them the new one by ${new Date(clock.now() + lengthMs).toISOString().slice(0, 10)}.`
      : "Both keys decrypt until the change is finished, and the new one encrypts. Runs that are active then lose secrets encrypted with the old one, such as those of their webhooks.",
  );
  await confirm(context, `begin to change ${name}`);
  const place = await placeOf(context, change);
  const value = pendingKey(place) ?? OWN_SECRETS[name]?.() ?? "";
  keepPendingKey(place, value);
  if (shown) out.fault(`The new secret, shown once: ${value}`);
  await sendSecrets(context, { [next]: value }, { again: again(context, what), opened });
  out.result(
    { rotating: name, finish: finishCommand(what) },
    () => `${name} has a second value; then: ${finishCommand(what)}`,
  );
}

/** Makes the second value the only one. */
export async function finishChange(context: CliContext, change: Change): Promise<void> {
  const { what, opened } = change;
  const { out } = context;
  const { name } = TWO_SECRETS[what];
  const next = `${name}_NEW`;
  if (!(await secretNames(context, opened)).includes(next))
    throw new CliFailure(1, `${name} is not being changed`, {
      fix: `edgecrew secrets rotate ${what}`,
    });
  const place = await placeOf(context, change);
  const value = pendingKey(place);
  if (value === undefined)
    throw new CliFailure(1, `the new value of ${name} is not on this machine`, {
      fix: `finish where the change was begun, or edgecrew secrets rm ${next} and begin again`,
    });
  out.note(
    what === "webhook"
      ? "Receivers that have only the old secret refuse deliveries from then on."
      : "Data encrypted with the old key alone is lost from then on.",
  );
  await confirm(context, `end the old value of ${name}`);
  const moved = what === "secrets" ? await reencrypt(context, opened) : undefined;
  await sendSecrets(
    context,
    { [name]: value, [next]: null },
    { again: again(context, what), opened },
  );
  dropPendingKey(place);
  const done = moved === undefined ? { rotated: name } : { rotated: name, moved };
  out.result(done, () => `${name} has the new value alone`);
}

async function reencrypt(context: CliContext, opened: OpenProject): Promise<number> {
  const worker = deployedWorker(context, opened);
  if (worker?.key === undefined)
    throw new CliFailure(4, "an admin key of the deployed Worker is needed to encrypt again", {
      fix: "--key, or EDGECREW_URL and EDGECREW_KEY",
    });
  let moved = 0;
  let cursor: unknown;
  do {
    const response = await context.fetch(`${worker.url}/admin/reencrypt`, {
      method: "POST",
      headers: { authorization: `Bearer ${worker.key}`, "content-type": "application/json" },
      body: JSON.stringify(cursor === undefined ? {} : { cursor }),
      signal: context.signal,
    });
    const page: unknown = await response.json().catch(() => undefined);
    if (!response.ok || !isJsonObject(page))
      throw new CliFailure(5, `POST /admin/reencrypt answered ${response.status}`, {
        fix: finishCommand("secrets"),
      });
    if (page["keys"] !== 2)
      throw new CliFailure(5, "the Worker does not read with both keys yet", {
        fix: `a minute later: ${finishCommand("secrets")}`,
      });
    const unreadable = Number(page["unreadable"]);
    if (unreadable > 0) context.out.note(`${unreadable} secrets could be read with neither key.`);
    moved += Number(page["moved"]);
    cursor = page["nextCursor"];
  } while (cursor !== undefined);
  return moved;
}

async function placeOf(
  context: CliContext,
  { what, opened: { cloud, environment } }: Change,
): Promise<KeyPlace> {
  const { variables, signal } = context;
  const account = await withAccount("account", () => findAccount(cloud, environment, variables), {
    signal,
    again: again(context, what),
  });
  const { name } = TWO_SECRETS[what];
  return { variables, deployment: `${account.id}/${environment.worker}#${name}` };
}

function finishCommand(what: TwoSecrets): string {
  return `edgecrew secrets rotate ${what} --finish`;
}

function again({ global }: CliContext, what: TwoSecrets): string {
  return againCommand(`secrets rotate ${what}`, global);
}
