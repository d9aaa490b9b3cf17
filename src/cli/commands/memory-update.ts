import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { FIELD_OPTIONS, memoryFields, PERSON_OPTION } from "../memory-fields.ts";

/** `edgecrew memory update`: changes fields of a memory. */
export const memoryUpdate = command({
  name: "memory update",
  serves: true,
  about: "change fields of a memory",
  args: "<id>",
  example: "edgecrew memory update 7c9e6679-7425 --content 'Acme drinks black tea'",
  options: { content: { about: "its text", value: "text" }, ...FIELD_OPTIONS, ...PERSON_OPTION },
  run: async ({ client, out }, { args: [id = ""], options }) => {
    const { content, person } = options;
    const changes = { ...(content === undefined ? {} : { content }), ...memoryFields(options) };
    if (Object.keys(changes).length === 0)
      throw wrongUse("choose a field to change: --content, --scope, --category or --importance");
    const viewer = person === undefined ? {} : { person };
    const changed = await (await client()).memory.update(id, changes, viewer);
    out.result(changed, () => `${changed.id}\t${changed.scope}`);
  },
});
