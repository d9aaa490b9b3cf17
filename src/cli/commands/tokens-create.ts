import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { isStartKind, START_KINDS, type StartKind } from "../../client/start-kinds.ts";
import { secondsOf } from "../token-options.ts";

const SCOPES = ["read", "answer", "cancel", "kickoff", "file", "person"] as const;
type TokenScope = (typeof SCOPES)[number];

/** `edgecrew tokens create`: a token for a front end. */
export const tokensCreate = command({
  name: "tokens create",
  about: "make a token for a front end: for runs, or to start one thing",
  args: "[runs...]",
  example: "edgecrew tokens create 0190-run --scope read --scope answer --for 15m",
  options: {
    start: { about: "target it can start: crew/briefing", value: "kind/name" },
    scope: {
      about: `${SCOPES.join(", ")}; default read, or kickoff`,
      value: "scope",
      many: true,
    },
    for: { about: "lifetime: default 15m, at most 1d", value: "span" },
    all: { about: "show prompts, arguments and inputs, too" },
    by: { about: "the person, as answers name them", value: "name" },
    person: { about: "id of the person: of its runs, and of the memory it reaches", value: "id" },
  },
  run: async (context, { args: runs, options }) => {
    const { start, all, by, person } = options;
    const isForMemory =
      options.scope.length > 0 && options.scope.every((scope) => scope === "person");
    const isForNone = start === undefined && runs.length === 0;
    if ((start !== undefined && runs.length > 0) || (isForNone && !isForMemory))
      throw wrongUse(
        "a token is for runs, or with --start to start one thing",
        "edgecrew tokens create <run>",
      );
    const usual: readonly TokenScope[] = start === undefined ? ["read"] : ["kickoff"];
    const unknown = options.scope.find((scope) => !SCOPES.includes(scope as TokenScope));
    if (unknown !== undefined)
      throw wrongUse(`--scope: expected ${SCOPES.join(", ")}, got ${JSON.stringify(unknown)}`);
    const scopes = options.scope.length === 0 ? usual : (options.scope as TokenScope[]);
    const { tokens } = await context.client();
    const created = await tokens.create({
      ...(runs.length === 0 ? {} : { runs: [...runs] }),
      ...(start === undefined ? {} : { target: targetOf(start) }),
      ...(person === undefined ? {} : { person }),
      scopes: [...scopes],
      ...(options.for === undefined ? {} : { ttlSeconds: secondsOf(options.for) }),
      ...(all ? { detail: "all" as const } : {}),
      ...(by === undefined ? {} : { by }),
    });
    const { out } = context;
    out.result({ ...created }, () => created.token);
    out.note(`Until ${created.expiresAt}; edgecrew tokens revoke ends it sooner.`);
  },
});

function targetOf(text: string): { kind: StartKind; name: string } {
  const [kind = "", ...rest] = text.split("/");
  const name = rest.join("/");
  if (isStartKind(kind) && name !== "") return { kind, name };
  throw wrongUse(
    `--start: expected ${START_KINDS.join(", ")} and a name, got ${JSON.stringify(text)}`,
    "--start crew/briefing",
  );
}
