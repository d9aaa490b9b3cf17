import { EngineError, type EdgecrewClient, type RunSummary } from "../../client/index.ts";
import { command, type CliContext } from "../command.ts";
import { plain } from "../output.ts";
import { RunChanges } from "../run-changes.ts";
import { runLine } from "../run-line.ts";

const STATUSES = ["queued", "running", "waiting", "completed", "failed", "cancelled"] as const;
const FOLLOWED_AT_ONCE = 10;

/** `edgecrew tail`: follows the changes of all runs until Ctrl-C. */
export const tail = command({
  name: "tail",
  about: "one line for each change of any run, until Ctrl-C",
  example: "edgecrew tail --name briefing --status failed",
  options: {
    name: { about: "of this definition", value: "name" },
    kind: { about: "crew, flow, agent, conversation and others", value: "kind" },
    status: { about: "only changes to this status", value: "status", choices: STATUSES },
    events: { about: "also the events of these runs, at most 10 of them at once" },
  },
  run: async (context, { options: { name, kind, status, events } }) => {
    const { out, signal, clock } = context;
    const client = await context.client();
    const query = {
      ...(name === undefined ? {} : { name }),
      ...(kind === undefined ? {} : { kind }),
    };
    const onLost = ({ message }: EngineError): void => out.note(`! ${message}: tried again`);
    const runs = new RunChanges({ client, clock, signal, query, onLost });
    const { items } = await runs.begin();
    const known = new Set(items.map(({ id }) => id));
    out.note("Events from now on; Ctrl-C ends.");
    const followed = new FollowedRuns(context, client);
    for await (const run of runs.changes()) {
      const isNew = !known.has(run.id);
      known.add(run.id);
      if (events && isNew) followed.add(run.id);
      if (status !== undefined && run.status !== status) continue;
      const inputs = isNew ? await inputNames(client, run) : [];
      const value = { ...run, ...(isNew ? { inputs } : undefined) };
      const more = inputs.length === 0 ? "" : `(${inputs.map(plain).join(", ")})`;
      out.line(value, () => runLine(run, more));
    }
    return 130;
  },
});

async function inputNames(client: EdgecrewClient, { id }: RunSummary): Promise<readonly string[]> {
  try {
    return Object.keys((await client.runs.get(id)).inputs);
  } catch (error) {
    if (EngineError.is(error)) return []; // deleted meanwhile, or out of reach: the line matters more
    throw error;
  }
}

/** Prints the events of runs, of a few at once. */
class FollowedRuns {
  readonly #context: CliContext;
  readonly #client: EdgecrewClient;
  readonly #waiting: string[] = [];
  #followed = 0;

  constructor(context: CliContext, client: EdgecrewClient) {
    this.#context = context;
    this.#client = client;
  }

  add(id: string): void {
    this.#waiting.push(id);
    this.#next();
  }

  #next(): void {
    if (this.#followed >= FOLLOWED_AT_ONCE) return;
    const id = this.#waiting.shift();
    if (id === undefined) return;
    this.#followed++;
    void this.#follow(id).finally(() => {
      this.#followed--;
      this.#next();
    });
  }

  async #follow(id: string): Promise<void> {
    const { out, signal } = this.#context;
    try {
      for await (const event of this.#client.runs.handle(id).events({ signal, words: "none" }))
        if ("seq" in event)
          out.line(
            event,
            () => `${event.at.slice(0, 19)}Z  ${id}  ${event.type}  ${plain(event.path)}`,
          );
    } catch (error) {
      if (!signal.aborted) out.note(`! events of ${id}: ${(error as Error).message}`);
    }
  }
}
