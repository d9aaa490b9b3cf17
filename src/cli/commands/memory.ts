import { command } from "../command.ts";

/** `edgecrew memory`: prints the tree of scopes, and the console's address. */
export const memory = command({
  name: "memory",
  serves: true,
  about: "show the tree of memories, and the console's address",
  example: "edgecrew memory",
  options: {},
  run: async ({ client, target, out }) => {
    const edgecrew = await client();
    const tree = await edgecrew.memory.tree();
    const { url } = await target();
    out.result({ tree, console: `${url}/console` }, () => tree);
    out.note(`The Worker's console, if it has one: ${url}/console`);
  },
});
