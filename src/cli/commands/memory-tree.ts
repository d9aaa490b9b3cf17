import { command } from "../command.ts";

/** `edgecrew memory tree`: scopes as indented lines. */
export const memoryTree = command({
  name: "memory tree",
  serves: true,
  about: "show the scopes of memory, with how much is in each",
  args: "[path]",
  example: "edgecrew memory tree /customers",
  options: {
    depth: { about: "number of levels", value: "n", integer: { least: 1, most: 16 } },
  },
  run: async ({ client, out }, { args: [path], options: { depth } }) => {
    const tree = await (await client()).memory.tree(path, depth);
    out.result({ tree }, () => tree);
  },
});
