import * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { systemClock } from "../../../base/system.ts";
import { DaytonaSandboxes, type DaytonaSandbox } from "../../../code/daytona/daytona-sandbox.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogTool, CatalogVariable } from "../base/entry.ts";
import {
  inSandbox,
  sandboxEnd,
  sandboxOptions,
  SANDBOX_TOOL,
  type SandboxSpec,
} from "./sandbox-life.ts";

const API_URL = "https://app.daytona.io/api";

/** Options of every tool of Daytona. */
const options = () =>
  z.object({
    apiUrl: z.url().default(API_URL),
    ...sandboxOptions,
    /** Timeout of one command, in seconds. */
    sandboxTimeout: z.number().positive().max(600).default(60),
    /** Daytona's own parameters, such as `snapshot`. */
    createParams: z.record(z.string(), z.json()).optional(),
  });

type Options = ReturnType<typeof options>;

const VARIABLES: readonly CatalogVariable[] = [
  { name: "DAYTONA_API_KEY", description: "Key of Daytona", option: "apiKey" },
  {
    name: "DAYTONA_TARGET",
    description: "Region of Daytona",
    required: false,
    option: "target",
    isPlain: true,
  },
];

/** Creates a tool that uses a sandbox of Daytona. */
export function daytonaTool<Input extends z.ZodObject>({
  use,
  ...spec
}: SandboxSpec<Input, Options, DaytonaSandbox>): CatalogTool<Options> {
  return catalogTool<Input, Options>({
    ...spec,
    ...SANDBOX_TOOL,
    service: "Daytona",
    options,
    env: VARIABLES,
    hostOptions: ["apiUrl"],
    hosts: ({ apiUrl }) => [new URL(apiUrl).host],
    run: (input, set, io) => {
      const account = {
        apiKey: io.value("DAYTONA_API_KEY") ?? "",
        apiUrl: set.apiUrl,
        target: io.value("DAYTONA_TARGET"),
      };
      const { clock } = io.scope;
      const sandboxes = new DaytonaSandboxes(account, (request) => io.send(request), clock);
      const service = {
        name: "Daytona",
        create: () =>
          sandboxes.create({
            ...(set.createParams as JsonObject | undefined),
            autoStopInterval: 15,
          }),
        find: (id: string) => sandboxes.find(id),
        remove: (id: string) => sandboxes.remove(id),
        end: endSandbox,
        kept: { apiUrl: set.apiUrl },
      };
      return inSandbox(io, { service, life: set }, (sandbox) =>
        use(sandbox, input, { options: set, io }),
      );
    },
  });
}

const endSandbox = sandboxEnd(
  "daytona_sandbox",
  { service: "Daytona", keyName: "DAYTONA_API_KEY" },
  ({ apiUrl = API_URL, id = "" }, { apiKey, send }) =>
    new DaytonaSandboxes({ apiKey, apiUrl }, send, systemClock).remove(id),
);
