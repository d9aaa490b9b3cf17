// Work an agent delegates to a coworker, done as a part of the delegating agent's task.
//
//   - It shares the budget, the cache, the time limit and the failure policy of the task; its usage and its failures
//     count for the task. The hooks are those of the working agent.
import type { Agent } from "../../agent/description/agent.ts";
import { executeAgent } from "../../agent/loop/execute-agent.ts";
import { fill, mergePrompts } from "../../agent/prompts/prompts.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { mergeTools } from "../../tools/merge-tools.ts";
import { raisedBy, ToolReport, type ToolWork } from "../../tools/tool-report.ts";
import type { Tool } from "../../tools/tool.ts";
import type { CrewWork, WorkRequest } from "../crew-work.ts";
import { delegationTools, MAX_DELEGATION_DEPTH, type Assignment } from "./delegation.ts";
import { mayDelegate } from "../actions/crew-iteration.ts";
import type { PreparedAgent } from "../prepared-agent.ts";
import { taskPrompt } from "../tasks/task-prompt.ts";
import type { Task } from "../tasks/task.ts";
import { WorkBudget } from "../work-budget.ts";

/** Work with delegation to coworkers, and its depth. */
export type Delegator = Pick<WorkRequest, "prompts" | "workBudget"> & {
  readonly task: Task;
  readonly coworkers: readonly PreparedAgent[];
  readonly depth: number;
};

/** Runs the coworkers for delegated work in one run of a crew. */
export class DelegatedWork {
  readonly #work: CrewWork;
  readonly #agents: readonly PreparedAgent[];

  /** `agents` are all possible coworkers. */
  constructor(work: CrewWork, agents: readonly PreparedAgent[]) {
    this.#work = work;
    this.#agents = agents;
  }

  /** Adds the delegation tools to `tools`, unless the maximum depth is reached. */
  withTools(tools: readonly Tool[], from: Delegator): readonly Tool[] {
    const { coworkers, depth, prompts } = from;
    if (coworkers.length === 0 || depth > MAX_DELEGATION_DEPTH) return tools;
    const added = delegationTools({
      coworkers: coworkers.map(({ identity }) => identity),
      prompts,
      carryOut: (assignment) => this.#carryOut(assignment, from),
    });
    return mergeTools(tools, added);
  }

  /** Lets a coworker do a part of the work, as steps below the tool call for it. */
  async #carryOut(assignment: Assignment, from: Delegator): Promise<ToolReport> {
    const { crew } = this.#work;
    const scope = RunScope.current();
    const coworker = from.coworkers[assignment.coworker];
    if (scope === undefined || coworker === undefined)
      throw new EngineError("internal", "work was delegated outside a run, or to no coworker");
    const { agent, identity } = coworker;
    const place = scope.at(`agent:${keySegment(identity.role)}`);
    const prompts = mergePrompts(agent.prompts, crew.prompts);
    const workBudget = new WorkBudget(place, agent, from.workBudget);
    const common = { prompts, task: from.task, workBudget };
    const coworkers = this.#coworkersOf(agent);
    const request: WorkRequest = {
      ...common,
      worker: coworker,
      prompt: taskPrompt(prompts, {
        description: assignment.work,
        expectedOutput: prompts.slices.managerRequest,
        context: assignment.context,
        markdown: false,
        schema: undefined,
      }),
      tools: this.withTools(agent.tools, { ...common, coworkers, depth: from.depth + 1 }),
    };
    const work = await this.#work.informed(place, request, assignment.work);
    let raised: ToolWork["raised"];
    const text = await executeAgent(place, work).catch((error: unknown) => {
      raised = raisedBy(error);
      return fill(from.prompts.errors.agentToolExecutionError, {
        agent_role: identity.role,
        error: errorMessage(error),
      });
    });
    const failures = workBudget.failures.records;
    return new ToolReport(text, {
      usage: workBudget.meter.total,
      delegatedTo: [identity.role, ...workBudget.counters.delegatedTo],
      ...workBudget.counters.accounts.fields,
      ...(failures.length === 0 ? undefined : { failures }),
      ...(raised === undefined ? undefined : { raised }),
    });
  }

  #coworkersOf(agent: Agent): readonly PreparedAgent[] {
    if (!mayDelegate(agent, this.#work.crew.iteration)) return [];
    return this.#agents.filter((other) => other.agent !== agent);
  }
}
