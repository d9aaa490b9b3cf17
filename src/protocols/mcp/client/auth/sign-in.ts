// A person signs in for an MCP server: the run waits until they come back with the address that they were sent to.
import { EngineError } from "../../../../base/error.ts";
import type { JsonValue } from "../../../../base/json.ts";
import type { RunScope } from "../../../../events/run-scope.ts";
import type { McpAccess } from "../access.ts";
import type { McpServerSettings } from "../settings.ts";

/** How often a person is asked: a server that is never content would ask forever. */
export const MAX_SIGN_INS = 3;

type PersonsAnswer = {
  readonly approve?: boolean;
  readonly feedback?: string;
  readonly value?: JsonValue;
};

/** What an attempt to sign in is about. */
export type SignIn = {
  readonly settings: McpServerSettings;
  readonly access: McpAccess;
  readonly serverName: string;
  /** Where the person signs in. */
  readonly url: string;
  /** What was wrong with the last attempt. */
  readonly fault: string | undefined;
};

/** Waits for a person, and gets the tokens; answers what was wrong, if anything was. Throws `tool_failed` where they decline. */
export async function signIn(scope: RunScope, asked: SignIn): Promise<string | undefined> {
  const { serverName, url, fault, settings } = asked;
  const again = fault === undefined ? "" : `The last attempt did not work: ${fault}\n`;
  const answer = await scope.wait<PersonsAnswer>({
    kind: "human",
    prompt: `${again}Sign in for MCP server ${serverName}: open ${url}\nThen answer with the whole address that you are sent to.`,
    data: { mcp: { serverName, mode: "sign-in", url } },
  });
  const said = typeof answer.value === "string" ? answer.value : (answer.feedback ?? "");
  if (answer.approve === false && said.trim() === "")
    throw new EngineError("tool_failed", `nobody signed in for MCP server ${serverName}`);
  const { fault: wrong } = await scope.at("tokens").step<{ readonly fault?: string }>({
    kind: "tool",
    label: `${serverName}: sign in`,
    effect: "idempotent",
    timeoutMs: settings.connectTimeoutMs,
    run: async ({ signal }) => {
      const { clock } = scope;
      const { exchanged } = await import("./exchange-code.ts");
      const found = await exchanged(said.trim(), { ...asked, signal, now: () => clock.now() });
      return found === undefined ? {} : { fault: found };
    },
  });
  return wrong;
}
