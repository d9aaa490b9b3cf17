import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { isStartKind, START_KINDS } from "../../client/start-kinds.ts";

/** `edgecrew tokens revoke`: ends tokens before their time. */
export const tokensRevoke = command({
  name: "tokens revoke",
  about:
    "end tokens of front ends: one, all of a run, or all of a crew, flow, agent or conversation",
  args: "<what>",
  example: "edgecrew tokens revoke crew/briefing",
  options: {},
  run: async ({ client, out }, { args: [what = ""] }) => {
    const { tokens } = await client();
    const [kind = "", ...rest] = what.split("/");
    if (what === "")
      throw wrongUse(
        "tokens revoke needs a token, a run, or kind/name",
        "edgecrew tokens revoke <run>",
      );
    if (what.startsWith("ect_")) await tokens.revoke({ token: what });
    else if (rest.length === 0) await tokens.revoke({ runs: [what] });
    else if (isStartKind(kind)) await tokens.revoke({ target: { kind, name: rest.join("/") } });
    else
      throw wrongUse(`expected ${START_KINDS.join(", ")} and a name, got ${JSON.stringify(what)}`);
    out.result({ revoked: what.startsWith("ect_") ? "token" : what }, () => "Revoked");
  },
});
