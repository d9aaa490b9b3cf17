import type { EdgecrewClient } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { everyPage } from "../every-page.ts";

/** A store of a Worker: its size, and an action that empties it. */
type Store = {
  readonly name: string;
  readonly what: string;
  readonly number: number;
  readonly empty: () => Promise<unknown>;
};

/** `edgecrew reset-memories`: empties stores, with the flags of CrewAI's command line. */
export const resetMemories = command({
  name: "reset-memories",
  serves: true,
  about: "empty memory, knowledge, agents' knowledge, finished runs, or all of them",
  example: "edgecrew reset-memories --memory --knowledge",
  options: {
    memory: { about: "memories", short: "m" },
    knowledge: { about: "documents, but those of agents; also -kn" },
    agentKnowledge: { about: "documents of agents; also -akn" },
    kickoffOutputs: { about: "finished runs with their outputs", short: "k" },
    all: { about: "all of these", short: "a" },
    long: { about: "as --memory", short: "l", hidden: true },
    short: { about: "as --memory", short: "s", hidden: true },
    entities: { about: "as --memory", short: "e", hidden: true },
  },
  spellings: { "-kn": "--knowledge", "-akn": "--agent-knowledge" },
  run: async (context, { options }) => {
    const { all, knowledge, agentKnowledge, kickoffOutputs } = options;
    const memory = options.memory || options.long || options.short || options.entities;
    if (!all && !memory && !knowledge && !agentKnowledge && !kickoffOutputs)
      throw wrongUse("choose a store to empty: -m, -kn, -akn, -k, or -a for all");
    const client = await context.client();
    const stores: Store[] = [];
    if (all || memory) stores.push(await memories(client));
    if (all || knowledge) stores.push(await documents(client, "knowledge"));
    if (all || agentKnowledge) stores.push(await documents(client, "agent knowledge"));
    if (all || kickoffOutputs) stores.push(await finishedRuns(client, context));
    await confirm(context, `delete ${stores.map(({ what }) => what).join(", ")}`);
    for (const { empty } of stores) await empty();
    const rows = stores.map(({ name, number }) => ({ name, deleted: number }));
    context.out.table({ rows, value: { items: rows }, none: "" }, [
      { title: "STORE", of: ({ name }) => name },
      { title: "DELETED", of: ({ deleted }) => String(deleted) },
    ]);
  },
});

async function memories({ memory }: EdgecrewClient): Promise<Store> {
  const { recordCount } = await memory.info(undefined, { includePrivate: true });
  return {
    name: "memory",
    what: counted(recordCount, "memory", "memories"),
    number: recordCount,
    empty: () => memory.resetAll(),
  };
}

/** Collections of agents are below it: `agent/Writer`, `crew/briefing/agent/Writer`. */
const OF_AGENT = /(?:^|\/)agent\//;

async function documents(
  { knowledge }: EdgecrewClient,
  name: "knowledge" | "agent knowledge",
): Promise<Store> {
  const all = await everyPage((page) => knowledge.collections(page));
  const own = all.filter((each) => OF_AGENT.test(each.name) === (name === "agent knowledge"));
  const number = own.reduce((sum, each) => sum + each.documents, 0);
  return {
    name,
    what: `${counted(number, "document")} of ${name}`,
    number,
    empty: async () => {
      for (const collection of own) await knowledge.delete(collection.name);
    },
  };
}

async function finishedRuns({ runs }: EdgecrewClient, { clock }: CliContext): Promise<Store> {
  const before = new Date(clock.now()).toISOString();
  const statuses = ["completed", "failed", "cancelled"] as const;
  const found = await Promise.all(
    statuses.map((status) => everyPage((page) => runs.list({ ...page, status }))),
  );
  const number = found.flat().length;
  return {
    name: "runs",
    what: counted(number, "finished run"),
    number,
    empty: async () => {
      for (let more = true; more;) ({ more } = await runs.prune({ olderThan: before, limit: 200 }));
    },
  };
}
