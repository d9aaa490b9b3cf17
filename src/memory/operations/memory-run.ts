// Runs of kind `memory`: saves of several texts, and reindexing.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import { ADOPTION_HOLDS_MS } from "../adopt-index.ts";
import type { Memory } from "../memory.ts";
import type { RememberOptions } from "../memory-view.ts";
import type { RunSchemas } from "../../parts/part.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { RunStart } from "../../runtime/run.ts";

/** Text to remember, with its options. */
export type SaveItem = { readonly content: string } & Pick<
  RememberOptions,
  | "scope"
  | "categories"
  | "importance"
  | "metadata"
  | "source"
  | "private"
  | "speaker"
  | "context"
  | "conversation"
> & {
    /** ISO 8601. */
    readonly at?: string | undefined;
    /** Saves it to the memory of this person. */
    readonly person?: string | undefined;
  };

/** Returns the options of a save from its JSON. */
export function rememberOptions({
  at,
  ...options
}: Omit<SaveItem, "content" | "person">): RememberOptions {
  return at === undefined ? options : { ...options, at: new Date(at) };
}

/**
 * Job of such a run. It is stored as the run's definition, because texts are too long for inputs, which are displayed.
 */
export type MemoryJob =
  | { readonly do: "save"; readonly items: readonly SaveItem[] }
  | { readonly do: "reindex"; readonly all: boolean };

/** Output of a save: ids of created, changed and deleted records. */
export type SavedMemories = { readonly saved: readonly string[] };
/** Output of a reindex: number of vectors made. */
type ReindexedMemories = { readonly made: number };

/** Returns the start of such a run, without its id and tenant. */
export function memoryStart(
  job: MemoryJob,
): Pick<RunStart, "kind" | "name" | "inputs" | "definition" | "person"> {
  const inputs: JsonObject = job.do === "save" ? { items: job.items.length } : { all: job.all };
  // A repeated id returns the run of the same person only.
  const people = new Set(job.do === "save" ? job.items.map(({ person }) => person) : []);
  const [person] = people.size === 1 ? people : [];
  return {
    kind: "memory",
    name: job.do,
    inputs,
    definition: toJson(job),
    ...(person === undefined ? undefined : { person }),
  };
}

/** Job of the run that makes missing vectors. */
export const reindexJob: MemoryJob = { do: "reindex", all: false };

/** Returns the id of the run that makes missing vectors: one in ten minutes. */
export function reindexRunId(nowMs: number): string {
  return `memory-reindex-${Math.floor(nowMs / ADOPTION_HOLDS_MS)}`;
}

/** Schemas of input and output of such runs, for the API document. */
export function memoryRunSchemas(): RunSchemas {
  return {
    input: z.union([z.strictObject({ items: z.number() }), z.strictObject({ all: z.boolean() })]),
    output: z.union([
      z.strictObject({ saved: z.array(z.string()).describe("Ids of the records") }),
      z.strictObject({ made: z.number().describe("Vectors of a reindex") }),
    ]),
  };
}

export function memoryRun(
  { definition }: RunStart,
  open: () => Memory,
): RunProgram<SavedMemories | ReindexedMemories> {
  const job = definition as MemoryJob;
  return {
    tasks: [],
    run: async (scope) => {
      const memory = open();
      if (job.do === "reindex")
        return { made: await memory.inRun({ scope }).reindex({ all: job.all }) };
      const saved: string[] = [];
      for (const [index, { contents, person, options }] of alike(job.items).entries()) {
        const here = memory.inRun({ scope: scope.at(`part:${index}`) });
        const own = person === undefined ? here : here.person(person);
        saved.push(...(await own.rememberAll(contents, options)));
      }
      return { saved };
    },
  };
}

type SaveGroup = {
  readonly contents: readonly string[];
  readonly person: string | undefined;
  readonly options: RememberOptions;
};

/** Groups items with equal options. Each group is saved and embedded together, in the order of its items. */
function alike(items: readonly SaveItem[]): readonly SaveGroup[] {
  const groups = new Map<string, SaveItem[]>();
  for (const item of items) {
    const { scope, categories, importance, metadata, source, private: isPrivate } = item;
    const { conversation, person } = item;
    const owner = [source, isPrivate, person, conversation];
    const key = JSON.stringify([scope, categories, importance, metadata, ...owner]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return Array.from(groups.values(), (group) => {
    const {
      content: _,
      speaker: _speaker,
      at: _at,
      context: _context,
      person,
      ...options
    } = group[0] ?? { content: "" };
    const each = group.map(({ speaker, at, context }) => rememberOptions({ speaker, at, context }));
    const contents = group.map(({ content }) => content);
    return { contents, person, options: { ...options, each } };
  });
}
