import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import type { DefinitionRules } from "../llm/definition-rules.ts";
import type { EventType } from "../events/run-event.ts";
import type { WebhookTarget } from "../runtime/deliveries/webhook-target.ts";
import type { RunStart } from "../runtime/run.ts";
import { checkOutboundUrl } from "../security/outbound.ts";
import { checkWebhookSecret } from "../security/webhook.ts";
import { eventTypesOf } from "./event-types.ts";
import { invalidInput } from "./problem.ts";
import type { PartHost } from "./part.ts";

/**
 * Returns the targets in their stored form, with their own secrets sealed. Throws `invalid_input` if sealing is not
 * available.
 */
export async function sealedTargets(
  targets: RunStart["webhooks"],
  { rules, owner }: { readonly rules: DefinitionRules | undefined; readonly owner: string },
): Promise<Pick<RunStart, "webhooks">> {
  if (targets === undefined) return {};
  if (rules === undefined) return { webhooks: targets };
  const webhooks = await Promise.all(
    targets.map(async ({ secret, ...target }, index): Promise<WebhookTarget> => {
      if (secret === undefined) return target;
      try {
        if (rules.seal === undefined)
          throw new EngineError("unavailable", "secrets cannot be stored here");
        return { ...target, sealedSecret: { sealed: await rules.seal(secret, owner), owner } };
      } catch (error) {
        const message = `expected no secret of its own, because ${errorMessage(error)}`;
        throw invalidInput("the webhooks cannot be used", [
          { path: `/webhooks/${index}/secret`, message },
        ]);
      }
    }),
  );
  return { webhooks };
}

type RequestedWebhook = {
  readonly url: string;
  readonly events?: readonly string[] | undefined;
  readonly secret?: string | undefined;
  readonly format?: string;
};

/**
 * Checks the webhooks of a kickoff. Throws `invalid_input` with all issues. `pointer` returns the JSON pointer of a webhook's
 * field in the request.
 */
export function webhookTargets(
  requested: readonly RequestedWebhook[] | undefined,
  { webhooks: settings, parts }: Pick<PartHost, "webhooks" | "parts">,
  pointer = (index: number, field: string): string => `/webhooks/${index}/${field}`,
): Pick<RunStart, "webhooks"> {
  if (requested === undefined || requested.length === 0) return {};
  if (settings === undefined)
    throw new EngineError(
      "invalid_input",
      "this deployment does not send webhooks, but the request has some",
    );
  const known = eventTypesOf(parts);
  const issues: Issue[] = [];
  const check = (path: string, rule: () => void): void => {
    try {
      rule();
    } catch (error) {
      issues.push({ path, message: errorMessage(error) });
    }
  };
  for (const [index, { url, events = [], secret }] of requested.entries()) {
    check(pointer(index, "url"), () => checkOutboundUrl(url, "url", settings));
    if (secret !== undefined)
      check(pointer(index, "secret"), () => checkWebhookSecret(secret, "secret"));
    else if (!settings.hasSecret)
      issues.push({
        path: pointer(index, "secret"),
        message:
          "expected a secret, because the Worker has no EDGECREW_WEBHOOK_SECRET, got nothing",
      });
    for (const [place, type] of events.entries())
      if (!known.has(type))
        issues.push({
          path: pointer(index, `events/${place}`),
          message: `expected an event type, such as run_completed, got "${type}"`,
        });
  }
  if (issues.length > 0) throw invalidInput("the webhooks cannot be used", issues);
  const targets = requested.map(({ url, events, secret, format }): WebhookTarget => ({
    url,
    ...(events === undefined ? undefined : { events: events as EventType[] }),
    ...(secret === undefined ? undefined : { secret }),
    ...(format === undefined ? undefined : { format }),
  }));
  return { webhooks: targets };
}
