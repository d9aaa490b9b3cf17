import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers one request; `body` is its text. */
export type Handler = (
  request: { readonly path: string; readonly body: string },
  response: ServerResponse,
) => void;

/** An HTTP server on a free port of loopback. */
export class LoopbackServer {
  readonly #server;

  constructor(handle: Handler) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        handle({ path: request.url ?? "", body: Buffer.concat(chunks).toString() }, response);
      });
    });
  }

  /** Listens and returns the address. */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
