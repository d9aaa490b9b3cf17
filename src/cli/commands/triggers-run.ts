import { EngineError, type EdgecrewClient, type WebhookView } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { deliverEvent, DELIVERY_OPTIONS } from "../deliver-event.ts";
import { delivered } from "../delivered.ts";

/** `edgecrew triggers run`: lets a webhook or a schedule start its run. */
export const triggersRun = command({
  name: "triggers run",
  about: "deliver a payload to a webhook, or start a schedule's run",
  args: "<name>",
  example: "edgecrew triggers run issues --payload issue.json --secret secret.txt",
  options: { ...DELIVERY_OPTIONS, follow: { about: "follow the run that it starts" } },
  run: async (context, { args: [name = ""], options }) => {
    const client = await context.client();
    const { follow } = options;
    const hook = await hookOf(client, name);
    if (hook === undefined) {
      if (options.payload !== undefined)
        throw wrongUse(`there is no webhook ${name}, and a schedule takes no payload`);
      return delivered(context, await client.schedules.run(name), { name, follow });
    }
    if (options.payload === undefined)
      throw wrongUse("a webhook needs a payload", "--payload <file>, or edgecrew hooks test");
    return delivered(context, await deliverEvent(context, hook, { ...options, isNew: false }), {
      name,
      follow,
    });
  },
});

async function hookOf(client: EdgecrewClient, name: string): Promise<WebhookView | undefined> {
  try {
    return await client.webhooks.get(name);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}
