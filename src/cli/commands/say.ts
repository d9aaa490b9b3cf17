import type { MessageRequest } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";

const MODES: readonly NonNullable<MessageRequest["mode"]>[] = ["steer", "queue", "interrupt"];

/** `edgecrew say`: sends a message to the agents of a run under way. */
export const say = command({
  name: "say",
  serves: true,
  about: "send a message to the agents of a run under way",
  args: "<run> [words...]",
  example: "edgecrew say 6dcb20 'Prices in euros, please'",
  options: {
    mode: { about: `${MODES.join(", ")}: when they see it; steer by default`, value: "mode" },
    to: { about: "the role of an agent or the name of a task", value: "name" },
    by: { about: "name of the author", value: "name" },
    id: { about: "an id: the same message again is sent once", value: "id" },
    withdraw: { about: "take back the pending message of an id, in place of words", value: "id" },
  },
  run: async ({ client, out }, { args: [text = "", ...words], options }) => {
    const edgecrew = await client();
    const run = edgecrew.runs.handle(await findRun(edgecrew, text));
    if (options.withdraw !== undefined) {
      const receipt = await run.withdraw(options.withdraw);
      return out.result(receipt, () => `message ${receipt.id} ${receipt.state}`);
    }
    const content = words.join(" ");
    if (content.trim() === "") throw wrongUse("there are no words to send");
    const mode = MODES.find((each) => each === options.mode);
    if (options.mode !== undefined && mode === undefined)
      throw wrongUse(`--mode: expected one of ${MODES.join(", ")}; got ${options.mode}`);
    const { to, by, id } = options;
    const message = await run.send({
      content,
      ...(mode === undefined ? undefined : { mode }),
      ...(to === undefined ? undefined : { to }),
      ...(id === undefined ? undefined : { id }),
      ...(by === undefined ? undefined : { speaker: { name: by } }),
    });
    return out.result(message, () => `message ${message.id} ${message.state}`);
  },
});
