import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";

/** `edgecrew dev kill`: kills the Worker of `edgecrew dev`, to show that its runs continue. */
export const devKill = command({
  name: "dev kill",
  about: "kill the Worker of edgecrew dev in mid-run; it restarts without loss",
  example: "edgecrew dev kill",
  options: {},
  run: async ({ target, fetch, out, signal }) => {
    const { url, key } = await target();
    const response = await fetch(`${url}/dev/kill`, {
      method: "POST",
      signal,
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
    await response.body?.cancel();
    if (!response.ok)
      throw wrongUse(
        `${url} is no Worker that can be killed`,
        "edgecrew dev, with console: console() in defineApp()",
      );
    out.result({ killed: url }, () => `${url} was killed, and starts again`);
  },
});
