import { md5Hex } from "../base/digest.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { checkHooks, type Hook } from "../hooks/hook.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
  type SecurityOptions,
} from "../security/security-config.ts";
import { checkFailurePolicy, type ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { Tool } from "../tools/tool.ts";
import { mergePrompts, type PromptOverrides } from "./prompts.ts";
import type { StepCallback } from "./step-callback.ts";

export type AgentOptions = {
  /** `{placeholders}` in these three are filled from the run's inputs. */
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  /** A model string, settings, a model of your own, or a list to fall back along. @default the environment's model */
  readonly llm?: ModelSpec;
  readonly tools?: readonly Tool[];
  /** Model calls per task, before the agent is told to give its answer. Integer >= 1. @default 25 */
  readonly maxIter?: number;
  /** Model calls per minute; further ones wait on a durable timer. @default the crew's */
  readonly maxRpm?: number;
  /** Seconds for one task, from its start, retries and waits included; then it fails with `timeout`. Integer >= 1. @default no limit */
  readonly maxExecutionTime?: number;
  /** How often a task is begun anew after an error that may pass. @default 2 */
  readonly maxRetryLimit?: number;
  /** On a full context window: true summarises the conversation and goes on, false fails. @default true */
  readonly respectContextWindow?: boolean;
  /** False puts everything into one user message. @default true */
  readonly useSystemPrompt?: boolean;
  /** Takes part in the tool cache of a crew that caches. @default true */
  readonly cache?: boolean;
  /** In the text form: a message in no known form is sent back for correction instead of taken as the answer. @default false */
  readonly strictReact?: boolean;
  /** Sends the model's words to whoever listens as they come. @default the crew's */
  readonly stream?: boolean;
  /** In a sequential crew: offers tools to give work to the other agents, or to ask them. @default false */
  readonly allowDelegation?: boolean;
  /** Replaces texts that are said to the model. */
  readonly prompts?: PromptOverrides;
  /** Called once for each tool result and for each final answer. */
  readonly stepCallback?: StepCallback;
  /** Its fingerprint, or the seed of one. @default a fingerprint that follows from `key` */
  readonly securityConfig?: SecurityOptions;
  /** Code that steps in; see `on()`. Comes after the hooks of the app and the crew. */
  readonly hooks?: readonly Hook[];
  /** What happens when a tool fails, where neither the tool nor the task says. @default the crew's */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Tools that a person must approve before each call, besides those that ask by themselves; true for all. @default none */
  readonly approveTools?: true | readonly string[];
  /** Refuses a call that is the same as the one before. @default in the text form only */
  readonly refuseRepeats?: boolean;
};

/** Somebody who does tasks: who they are, the model they think with, the tools they have. Holds no state of any run. */
export class Agent {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly llm: ModelSpec | undefined;
  readonly tools: readonly Tool[];
  readonly maxIter: number;
  readonly maxRpm: number | undefined;
  readonly maxExecutionTime: number | undefined;
  readonly maxRetryLimit: number;
  readonly respectContextWindow: boolean;
  readonly useSystemPrompt: boolean;
  readonly cache: boolean;
  readonly strictReact: boolean;
  readonly stream: boolean | undefined;
  readonly allowDelegation: boolean;
  readonly prompts: PromptOverrides;
  readonly stepCallback: StepCallback | undefined;
  readonly securityConfig: SecurityConfig;
  readonly hooks: readonly Hook[];
  readonly toolFailurePolicy: ToolFailurePolicy | undefined;
  readonly approveTools: true | readonly string[];
  readonly refuseRepeats: boolean | undefined;

  /** Throws `invalid_definition` naming the field that is missing or out of range. */
  constructor(options: AgentOptions) {
    for (const field of ["role", "goal", "backstory"] as const) {
      const value: unknown = options[field];
      if (typeof value !== "string")
        throw invalid(`agent.${field} must be a string, got ${preview(value)}`);
    }
    if (options.role.trim() === "") throw invalid("agent.role must not be empty");
    this.role = options.role;
    this.goal = options.goal;
    this.backstory = options.backstory;
    this.llm = options.llm;
    this.tools = checkTools(options.tools ?? [], this.role);
    this.maxIter = integer("maxIter", options.maxIter ?? 25, { min: 1, role: this.role });
    this.maxRetryLimit = integer("maxRetryLimit", options.maxRetryLimit ?? 2, {
      min: 0,
      role: this.role,
    });
    this.maxRpm = optionalInteger("maxRpm", options.maxRpm, this.role);
    this.maxExecutionTime = optionalInteger(
      "maxExecutionTime",
      options.maxExecutionTime,
      this.role,
    );
    this.respectContextWindow = options.respectContextWindow ?? true;
    this.useSystemPrompt = options.useSystemPrompt ?? true;
    this.cache = options.cache ?? true;
    this.strictReact = options.strictReact ?? false;
    this.stream = options.stream;
    this.allowDelegation = options.allowDelegation ?? false;
    this.prompts = options.prompts ?? {};
    mergePrompts(this.prompts);
    this.stepCallback = options.stepCallback;
    this.securityConfig = securityConfigOf(options.securityConfig);
    this.hooks = checkHooks(options.hooks, `agent "${this.role}"`);
    this.toolFailurePolicy = checkFailurePolicy(options.toolFailurePolicy, `agent "${this.role}"`);
    this.approveTools = options.approveTools ?? [];
    this.refuseRepeats = options.refuseRepeats;
  }

  /** MD5 of `role|goal|backstory`, as they were written. */
  get key(): string {
    return md5Hex([this.role, this.goal, this.backstory].join("|"));
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this, "agent");
  }
}

/** Refuses what is not a tool. */
export function checkTools(tools: readonly Tool[], owner: string): readonly Tool[] {
  for (const [index, each] of tools.entries()) {
    const given: Partial<Tool> | null | undefined = each;
    if (typeof given?.call !== "function" || typeof given.name !== "string") {
      throw invalid(`${owner}: tools[${index}] must be made with tool(), got ${preview(each)}`);
    }
  }
  return tools;
}

function optionalInteger(
  name: string,
  value: number | undefined,
  role: string,
): number | undefined {
  return value === undefined ? undefined : integer(name, value, { min: 1, role });
}

function integer(
  name: string,
  value: number,
  { min, role }: { min: number; role: string },
): number {
  if (Number.isInteger(value) && value >= min) return value;
  throw invalid(`agent "${role}": ${name} must be an integer >= ${min}, got ${preview(value)}`);
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
