// Every operation of the API: what the description and its page are made from. A test holds it against the routes.
import { agentOperations } from "./operations/agents.ts";
import { compatOperations } from "./operations/compat.ts";
import { crewOperations } from "./operations/crews.ts";
import { flowOperations } from "./operations/flows.ts";
import { keyOperations } from "./operations/keys.ts";
import { runOperations } from "./operations/runs.ts";
import { serviceOperations } from "./operations/service.ts";
import type { Operation } from "./operations/operation.ts";

export const operations: readonly Operation[] = [
  ...crewOperations,
  ...agentOperations,
  ...flowOperations,
  ...runOperations,
  ...compatOperations,
  ...keyOperations,
  ...serviceOperations,
];
