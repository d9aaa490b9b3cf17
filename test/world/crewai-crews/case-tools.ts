import * as z from "zod";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import type { CaseAgent, ToolName } from "./crew-case.ts";

type Extra = Pick<CaseAgent, "resultAsAnswer" | "maxUsage">;

/** The tools of one case, which note their calls. One tool of each kind: a cache knows tools by what they are. */
export class CaseTools {
  readonly calls: { name: string; args: unknown }[] = [];
  readonly #made = new Map<string, Tool>();

  of(name: ToolName, { resultAsAnswer, maxUsage }: Extra = {}): Tool {
    const key = JSON.stringify([name, resultAsAnswer, maxUsage]);
    let made = this.#made.get(key);
    if (made === undefined) {
      const extra = {
        ...(resultAsAnswer ? { resultAsAnswer } : {}),
        ...(maxUsage === undefined ? {} : { maxUsageCount: maxUsage }),
      };
      this.#made.set(key, (made = this.#make(name, extra)));
    }
    return made;
  }

  #make(name: ToolName, extra: { readonly resultAsAnswer?: true; maxUsageCount?: number }): Tool {
    const note = <Args>(args: Args): Args => (this.calls.push({ name, args }), args);
    const makers: { readonly [Name in ToolName]: () => Tool } = {
      lookup: () =>
        tool({
          name,
          description: "Looks a topic up",
          input: z.object({ topic: z.string() }),
          run: (args) => `fact about ${note(args).topic}`,
          ...extra,
        }),
      add: () =>
        tool({
          name,
          description: "Adds two numbers",
          input: z.object({ a: z.number().int(), b: z.number().int() }),
          run: (args) => String(note(args).a + args.b),
          ...extra,
        }),
      fails: () =>
        tool({
          name,
          description: "Fails",
          input: z.object({ reason: z.string() }),
          run: (args): string => {
            throw new Error(`broken: ${note(args).reason}`);
          },
          ...extra,
        }),
    };
    return makers[name]();
  }
}
