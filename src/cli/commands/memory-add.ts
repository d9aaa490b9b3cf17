import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";

/** `edgecrew memory add`: one more memory. */
export const memoryAdd = command({
  name: "memory add",
  serves: true,
  about: "remember something",
  args: "<content>",
  example: "edgecrew memory add 'Acme drinks green tea' --scope /customers/acme --importance 0.8",
  options: {
    scope: { about: "scope; default: a model chooses", value: "path" },
    category: {
      about: "repeatable; default: a model chooses",
      value: "name",
      many: true,
    },
    importance: { about: "0 to 1; default: a model decides", value: "number" },
    source: { about: "owner of the memory", value: "source" },
    private: { about: "for its source alone" },
  },
  run: async ({ client, out }, { args: [content = ""], options }) => {
    const { scope, category, source } = options;
    const importance = numberOf(options.importance);
    const saved = await (
      await client()
    ).memory.save(content, {
      ...(scope === undefined ? {} : { scope }),
      ...(category.length === 0 ? {} : { categories: [...category] }),
      ...(importance === undefined ? {} : { importance }),
      ...(source === undefined ? {} : { source }),
      ...(options.private ? { private: true } : {}),
    });
    out.result(saved ?? null, () =>
      saved === undefined
        ? "It was merged into an existing memory."
        : `${saved.id}\t${saved.scope}`,
    );
  },
});

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw wrongUse(`--importance: expected a number from 0 to 1, got ${JSON.stringify(text)}`);
}
