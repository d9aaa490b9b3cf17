import type { Page } from "../runtime/run-directory.ts";
import type { ToolView } from "../tools/operations/tools.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";

export class ToolsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the tools for stored definitions, with the variables and bindings needed by each. */
  list(page: PageOptions = {}): Promise<Page<ToolView>> {
    return this.#transport.json("/tools", { query: { ...page } });
  }

  get(name: string): Promise<ToolView> {
    return this.#transport.json(`/tools/${encodeURIComponent(name)}`);
  }
}
