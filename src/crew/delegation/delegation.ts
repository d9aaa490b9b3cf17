// Delegation: tools for an agent to delegate work to other agents of its crew.
//
//   DE1. The schema names the existing coworkers; names from a model are matched leniently.
//   DE2. After a failed or impossible delegation the asking model receives a text, and the run continues. An abort by a
//        hook and an error raised by a failure policy end the whole task.
//   DE3. Delegated work has its own steps below the tool call: after a crash, finished steps are not repeated.
//   DE4. Delegation ends at depth 3: an agent at this depth has no delegation tools.
import type { Prompts } from "../../agent/prompts/prompts.ts";
import { fill } from "../../agent/prompts/prompts.ts";
import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { toolFromSchema, type Tool } from "../../tools/tool.ts";
import type { ToolReport } from "../../tools/tool-report.ts";
import { findCoworker, readCoworkerRequest } from "./coworker-name.ts";

/** Maximum depth of delegation: to a coworker, to its coworker, and to that one's coworker. */
export const MAX_DELEGATION_DEPTH = 3;

/** A piece of work for a coworker; `coworker` is an index into the roles. */
export type Assignment = {
  readonly coworker: number;
  readonly work: string;
  readonly context: string;
};

/** A coworker, as the tools for delegation describe it. */
export type Coworker = { readonly role: string; readonly goal: string };

export type DelegationOptions = {
  readonly coworkers: readonly Coworker[];
  readonly prompts: Prompts;
  readonly carryOut: (assignment: Assignment) => Promise<ToolReport>;
};

/** `Delegate work to coworker` and `Ask question to coworker`, for these coworkers. */
export function delegationTools(options: DelegationOptions): readonly Tool[] {
  const { tools } = options.prompts;
  return [
    delegationTool("Delegate work to coworker", {
      ...options,
      description: tools.delegateWork,
      field: "task",
      meaning: "The work to do, and what to hand back",
    }),
    delegationTool("Ask question to coworker", {
      ...options,
      description: tools.askQuestion,
      field: "question",
      meaning: "The question to answer",
    }),
  ];
}

function delegationTool(
  name: string,
  options: DelegationOptions & {
    readonly description: string;
    readonly field: "task" | "question";
    readonly meaning: string;
  },
): Tool {
  const { prompts, carryOut, field, meaning } = options;
  const roles = options.coworkers.map(({ role }) => role);
  const coworkers = [...new Set(roles)];
  const lenient = toolFromSchema({
    name,
    description: fill(options.description, {
      coworkers: coworkers.join(", "),
      coworkers_with_goals: goalsText(options.coworkers),
    }),
    parameters: { type: "object" },
    // A repeated request may get another answer.
    cache: () => false,
    run: (input) => {
      const request = readCoworkerRequest(input);
      if (request.work === undefined) {
        throw new EngineError(
          "invalid_input",
          `${field} must be a text that is not empty, got ${preview(input[field])}`,
        );
      }
      const onlyOne = request.coworker === undefined && coworkers.length === 1;
      const coworker = onlyOne ? 0 : findCoworker(request.coworker, roles);
      return coworker < 0
        ? fill(prompts.errors.agentToolUnexistingCoworker, { coworkers: coworkers.join(", ") })
        : carryOut({ coworker, work: request.work, context: request.context });
    },
  });
  return {
    ...lenient,
    parameters: parametersFor(coworkers, field, meaning),
    readsAnyName: true,
  };
}

/** Returns one line, because the text form describes each tool in its own line. */
function goalsText(coworkers: readonly Coworker[]): string {
  const lines = coworkers.map(({ role, goal }) => {
    const line = goal.replaceAll(/\s+/g, " ").trim();
    return line === "" ? role : `${role} (goal: ${line})`;
  });
  return [...new Set(lines)].join("; ");
}

function parametersFor(
  coworkers: readonly string[],
  field: "task" | "question",
  meaning: string,
): JsonObject {
  return {
    type: "object",
    properties: {
      [field]: { type: "string", description: meaning },
      context: { type: "string", description: "Everything they need to know for it" },
      coworker: { type: "string", enum: coworkers, description: "The coworker's role" },
    },
    required: [field, "context", "coworker"],
    additionalProperties: false,
  };
}
