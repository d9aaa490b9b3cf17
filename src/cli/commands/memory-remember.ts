import { command } from "../command.ts";
import { FIELD_OPTIONS, memoryFields, PERSON_OPTION } from "../memory-fields.ts";

/** `edgecrew memory remember`: one more memory. */
export const memoryRemember = command({
  name: "memory remember",
  serves: true,
  about: "save a memory",
  args: "<content>",
  example:
    "edgecrew memory remember 'Acme drinks green tea' --scope /customers/acme --importance 0.8",
  options: { ...FIELD_OPTIONS, ...PERSON_OPTION },
  run: async ({ client, out }, { args: [content = ""], options }) => {
    const { person } = options;
    const fields = { ...memoryFields(options), ...(person === undefined ? {} : { person }) };
    const saved = await (await client()).memory.remember(content, fields);
    out.result(saved ?? null, () =>
      saved === undefined ? "It was forgotten since." : `${saved.id}\t${saved.scope}`,
    );
  },
});
