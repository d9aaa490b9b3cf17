// Runs of kind `memory`: saves of several texts, and reindexing.
import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
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
  };

/** Returns the options of a save from its JSON. */
export function rememberOptions({ at, ...options }: Omit<SaveItem, "content">): RememberOptions {
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
): Pick<RunStart, "kind" | "name" | "inputs" | "definition"> {
  const inputs: JsonObject = job.do === "save" ? { items: job.items.length } : { all: job.all };
  return { kind: "memory", name: job.do, inputs, definition: toJson(job) };
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
      for (const [index, { contents, options }] of alike(job.items).entries())
        saved.push(
          ...(await memory
            .inRun({ scope: scope.at(`part:${index}`) })
            .rememberAll(contents, options)),
        );
      return { saved };
    },
  };
}

/** Groups items with equal options. Each group is saved and embedded together, in the order of its items. */
function alike(
  items: readonly SaveItem[],
): readonly { readonly contents: readonly string[]; readonly options: RememberOptions }[] {
  const groups = new Map<string, SaveItem[]>();
  for (const item of items) {
    const { scope, categories, importance, metadata, source, private: isPrivate } = item;
    const { conversation } = item;
    const options = [scope, categories, importance, metadata, source, isPrivate, conversation];
    const key = JSON.stringify(options);
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
      ...options
    } = group[0] ?? {
      content: "",
    };
    const each = group.map(({ speaker, at, context }) => rememberOptions({ speaker, at, context }));
    return { contents: group.map(({ content }) => content), options: { ...options, each } };
  });
}
