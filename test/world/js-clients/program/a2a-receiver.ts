// A server that push notifications go to, and the fetch of a client with a key.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bearer } from "./check.ts";

export const authorized: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(bearer)) headers.set(name, value);
  return fetch(input, { ...init, headers });
};

export type Pushed = { readonly token: string | undefined; readonly body: string };

/** Starts on a free port of loopback. */
export async function receiver(): Promise<{
  readonly url: string;
  until(wanted: RegExp): Promise<Pushed>;
  close(): void;
}> {
  const pushed: Pushed[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => void (body += data.toString()));
    request.on("end", () => {
      const token = request.headers["x-a2a-notification-token"];
      pushed.push({ token: typeof token === "string" ? token : undefined, body });
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async until(wanted) {
      for (let tries = 0; tries < 100; tries++) {
        const found = pushed.find(({ body }) => wanted.test(body));
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      throw new Error(`nothing came: ${JSON.stringify(pushed)}`);
    },
    close: () => server.close(),
  };
}
