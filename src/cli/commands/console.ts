import { command } from "../command.ts";

/** `edgecrew console`: prints the address of the Worker's console. */
export const consoleCommand = command({
  name: "console",
  about: "print the address of the Worker's console",
  example: "edgecrew console",
  options: {},
  run: async ({ target, out, fetch, signal }) => {
    const { url } = await target();
    const address = `${url}/console/`;
    const response = await fetch(address, { signal, headers: { accept: "text/html" } }).catch(
      () => undefined,
    );
    await response?.body?.cancel();
    out.result({ url: address }, () => address);
    if (response?.ok !== true)
      out.note(
        "No console answers there: set console: console() in defineApp() and [assets] in wrangler.toml (edgecrew docs console).",
      );
  },
});
