import type { Training } from "../crew/actions/training.ts";
import type { TrainingSummaryView } from "../crew/operations/shapes.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";

/** Results of the trainings of crews. */
export class TrainingsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists trainings by name, without their suggestions. */
  list(page: PageOptions = {}): Promise<Page<TrainingSummaryView>> {
    return this.#transport.json("/trainings", { query: { ...page } });
  }

  get(name: string): Promise<Training> {
    return this.#transport.json(`/trainings/${encodeURIComponent(name)}`);
  }

  async delete(name: string): Promise<void> {
    await this.#transport.send(`/trainings/${encodeURIComponent(name)}`, { method: "DELETE" });
  }
}
