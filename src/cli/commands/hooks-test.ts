import { command } from "../command.ts";
import { deliverEvent, DELIVERY_OPTIONS } from "../deliver-event.ts";
import { delivered } from "../delivered.ts";

/** `edgecrew hooks test`: sends a test delivery. */
export const hooksTest = command({
  name: "hooks test",
  about: "sign a sample and deliver it to a webhook",
  args: "<name>",
  example: "edgecrew hooks test issues --secret secret.txt",
  options: { ...DELIVERY_OPTIONS, follow: { about: "follow the run that it starts" } },
  run: async (context, { args: [name = ""], options }) => {
    const hook = await (await context.client()).webhooks.get(name);
    const run = await deliverEvent(context, hook, { ...options, isNew: true });
    return delivered(context, run, { name, follow: options.follow });
  },
});
