// A network that is bad: what it carries comes late, in pieces, and sometimes only half of it.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Random } from "./random-events.ts";

/** How often a connection is cut, and after how many bytes of answers at most. */
export type Cuts = { readonly chance: number; readonly maxBytes: number };

/** Passes connections on to a port of this machine. */
export class BadNetwork {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async to(port: number, { random, cuts }: { random: Random; cuts: Cuts }) {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far);
      const most = random() < cuts.chance ? random() * cuts.maxBytes : Infinity;
      void carry(far, near, { most, random });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new BadNetwork(server, sockets);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** In pieces of any size, now and then after a pause, up to so many bytes. */
async function carry(
  from: Socket,
  to: Socket,
  { most, random }: { readonly most: number; readonly random: Random },
): Promise<void> {
  let left = most;
  try {
    for await (const data of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < data.length;) {
        const size = 1 + Math.floor(random() * 700);
        const piece = data.subarray(at, Math.min(at + size, at + left));
        to.write(piece);
        at += size;
        left -= piece.length;
        if (left <= 0) return void to.destroy();
        if (random() < 0.2) await new Promise((resolve) => setTimeout(resolve, random() * 4));
      }
    }
    to.end();
  } catch {
    to.destroy();
  }
}
