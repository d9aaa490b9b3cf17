import * as z from "zod";
import { E2BSandboxes, type E2BSandbox } from "../../../code/e2b/e2b-sandbox.ts";
import type { SendRequest } from "../../../code/machines/send-request.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogTool, CatalogVariable } from "../base/entry.ts";
import {
  inSandbox,
  sandboxEnd,
  sandboxOptions,
  SANDBOX_TOOL,
  type SandboxSpec,
} from "./sandbox-life.ts";

const DOMAIN = "e2b.app";

/** Options of every tool of E2B. */
const options = () =>
  z.object({
    template: z.string().min(1).optional(),
    ...sandboxOptions,
    /** Lifetime of a sandbox, in seconds. */
    sandboxTimeout: z.number().positive().max(86_400).default(300),
    envs: z.record(z.string(), z.string()).optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    /** Allows network access of its code. */
    allowInternetAccess: z.boolean().default(false),
    domain: z.string().min(1).default(DOMAIN),
  });

type Options = ReturnType<typeof options>;

const VARIABLES: readonly CatalogVariable[] = [
  { name: "E2B_API_KEY", description: "Key of E2B", option: "apiKey" },
];

/** Creates a tool that uses a sandbox of E2B. */
export function e2bTool<Input extends z.ZodObject>({
  use,
  ...spec
}: SandboxSpec<Input, Options, E2BSandbox>): CatalogTool<Options> {
  return catalogTool<Input, Options>({
    ...spec,
    ...SANDBOX_TOOL,
    service: "E2B",
    options,
    env: VARIABLES,
    hostOptions: ["domain"],
    hosts: ({ domain }) => [`api.${domain}`, `*.${domain}`],
    run: (input, set, io) => {
      const sandboxes = sandboxesOf(io.value("E2B_API_KEY") ?? "", set.domain, (request) =>
        io.send(request),
      );
      const lifeMs = set.sandboxTimeout * 1000;
      const service = {
        name: "E2B",
        create: () =>
          sandboxes.create({
            template: set.template,
            lifeMs,
            internet: set.allowInternetAccess,
            envs: set.envs,
            metadata: set.metadata,
          }),
        find: (id: string) => sandboxes.connect(id, lifeMs),
        remove: (id: string) => sandboxes.remove(id),
        end: endSandbox,
        kept: { domain: set.domain },
      };
      return inSandbox(io, { service, life: set }, (sandbox) =>
        use(sandbox, input, { options: set, io }),
      );
    },
  });
}

function sandboxesOf(apiKey: string, domain: string, send: SendRequest): E2BSandboxes {
  return new E2BSandboxes({ apiKey, domain }, send);
}

const endSandbox = sandboxEnd(
  "e2b_sandbox",
  { service: "E2B", keyName: "E2B_API_KEY" },
  ({ domain = DOMAIN, id = "" }, { apiKey, send }) => sandboxesOf(apiKey, domain, send).remove(id),
);
