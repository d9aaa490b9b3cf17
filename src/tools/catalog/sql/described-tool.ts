import { errorMessage } from "../../../base/error.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { ToolSource } from "../../tool-source.ts";
import type { Tool } from "../../tool.ts";
import type { Connection } from "./connection.ts";
import { inDatabase } from "./run-statement.ts";
import { tableList } from "./table-list.ts";

/** Adds the tables of its database to a tool's description. They are read once, at the start of a run. */
export function describedTool(
  tool: Tool,
  {
    connectionIn,
    tables,
  }: {
    /** Returns undefined if the address is unknown. */
    readonly connectionIn: (services: RunServices) => Connection | undefined;
    /** Tables to list. @default all */
    readonly tables?: readonly string[] | undefined;
  },
): ToolSource {
  return {
    name: tool.safeName,
    open: async (place, { agentRole }) => {
      const found = await place
        .at("tables")
        .step<{ readonly list: string; readonly fault?: string }>({
          kind: "effect",
          run: async ({ signal }) => {
            try {
              return { list: await listOf(place, signal) };
            } catch (error) {
              signal.throwIfAborted();
              return { list: "", fault: errorMessage(error) };
            }
          },
        });
      if (found.fault !== undefined)
        place.emit("agent_warning", {
          agentRole,
          message: `the tool ${tool.safeName} does not know its tables: ${found.fault}`,
        });
      if (found.list === "") return [tool];
      return [{ ...tool, description: `${tool.description}\nTables:\n${found.list}` }];
    },
  };

  async function listOf(scope: RunScope, signal: AbortSignal): Promise<string> {
    const { services } = scope;
    const connection = connectionIn(services);
    if (connection === undefined) return "";
    return inDatabase({ signal, services, scope }, connection, (database, limits) =>
      tableList(database, limits, tables),
    );
  }
}
