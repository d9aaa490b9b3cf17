// Switch with which the local Worker requests its own kill: an unguessable address on this machine.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An open switch. */
export type DevSwitch = { readonly url: string; readonly close: () => void };

/** Opens a switch. It calls `kill` for each request, after the response. */
export async function openDevSwitch(kill: () => void): Promise<DevSwitch> {
  const path = `/${randomBytes(24).toString("base64url")}`;
  const server = createServer((request, response) => {
    const isRight = request.method === "POST" && request.url === path;
    response.writeHead(isRight ? 202 : 404).end(() => {
      if (isRight) kill();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
