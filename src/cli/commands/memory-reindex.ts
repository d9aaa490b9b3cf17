import { command } from "../command.ts";
import { counted } from "../counted.ts";
import { isJsonObject } from "../../base/json.ts";

/** `edgecrew memory reindex`: makes missing vectors of memories. */
export const memoryReindex = command({
  name: "memory reindex",
  about: "make the vectors that memories lack",
  example: "edgecrew memory reindex --all",
  options: { all: { about: "make all of them again, as for another embedder" } },
  run: async ({ client, out }, { options: { all } }) => {
    const { memory } = await client();
    const output = await (await memory.reindex({ all })).output();
    const made = isJsonObject(output) ? Number(output["made"]) : 0;
    out.result({ made }, () => `${counted(made, "vector")} made`);
  },
});
