// A person's sign-in for an MCP server: the run waits until they return with the address they were sent to.
import { EngineError } from "../../../../base/error.ts";
import type { JsonValue } from "../../../../base/json.ts";
import type { RunScope } from "../../../../events/run-scope.ts";
import type { SignIn } from "./sign-in-attempt.ts";

/** Maximum number of sign-ins, as a limit for servers that always ask again. */
export const MAX_SIGN_INS = 3;

type PersonsAnswer = {
  readonly approve?: boolean;
  readonly feedback?: string;
  readonly value?: JsonValue;
};

/**
 * Waits for a person, and gets the tokens. Resolves to the fault if the attempt fails. Fails with `tool_failed` if the
 * person declines.
 */
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
    throw new EngineError("tool_failed", `no person signed in for MCP server ${serverName}`);
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
