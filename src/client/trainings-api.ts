import type { Training } from "../crew/actions/training.ts";
import type { Transport } from "./transport.ts";

/** What crews learned from training. */
export class TrainingsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(name: string): Promise<Training> {
    return this.#transport.json(`/trainings/${encodeURIComponent(name)}`);
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(`/trainings/${encodeURIComponent(name)}`, { method: "DELETE" });
  }
}
