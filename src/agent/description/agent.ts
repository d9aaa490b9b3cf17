import { md5Hex } from "../../base/digest.ts";
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import { placeholders } from "../../base/template.ts";
import { RunScope } from "../../events/run-scope.ts";
import { withServices } from "../../events/run-services.ts";
import { localFileStore, startedFiles, type StartedFiles } from "../../files/started-files.ts";
import { checkHooks, type Hook } from "../../hooks/hook.ts";
import { scopeHere, servicesHere } from "../../hooks/scoped-services.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { KnowledgeFields } from "../../knowledge/knowledge-view.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { MemoryOption } from "../../memory/memory-service.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { Fingerprint } from "../../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
} from "../../security/security-config.ts";
import { checkFailurePolicy, type ToolFailurePolicy } from "../../tools/tool-failure.ts";
import { SHOWN_TOOLS } from "../../tools/deferring-tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import { AGENT_OPTIONS } from "./agent-option-names.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import type { AgentDescription } from "./agent-description.ts";
import type { AgentKickoffOptions, AgentOptions } from "./agent-options.ts";
import { checkSources } from "./check-sources.ts";
import { checkTools, partTools } from "./check-tools.ts";
import type { RemoteAgentEntry } from "./agent-offer.ts";
import type { McpEntry } from "./mcp-entry.ts";
import { checkA2a, checkApps, checkMcps, checkTemplate } from "./check-agent.ts";
import { checkGuardrails, type CheckedGuardrail } from "./guardrail.ts";
import { readPlanning, type PlanningConfig } from "../planning/planning-config.ts";
import { mergePrompts, type PromptOverrides } from "../prompts/prompts.ts";
import {
  checkMessages,
  readRequest,
  runAgent,
  typedAgentOutput,
  type AgentMessages,
  type AgentRequest,
  type ResponseOf,
} from "../run-agent.ts";
import type { AgentRunOptions } from "../agent-output.ts";
import type { AgentOutput, AgentRecord } from "../agent-output.ts";
import { wantedFormat, wantedSettings } from "../../model-calls/caller-wishes.ts";
import type { SkillSource } from "../skills/read-skill.ts";
import { checkSkillSources } from "../skills/check-skill-sources.ts";
import type { OutputSchema } from "../loop/structured-output.ts";
import type { StepCallback } from "../loop/step-callback.ts";

export type { AgentKickoffOptions, AgentOptions };
export { checkTools };

/** Options of `kickoff()` and `start()`. */
const RUN_OPTIONS = {
  known: "inputs inputFiles responseFormat services models id clock limits listeners report".split(
    " ",
  ),
};

/** The definition of an agent: its role, its model and its tools. It holds no state of any run. */
export class Agent implements AgentDescription {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly llm: ModelSpec | undefined;
  readonly tools: readonly Tool[];
  /** Number of tools above which the model searches among them; undefined if it sees all. */
  readonly deferTools: number | undefined;
  readonly maxIter: number;
  readonly maxRpm: number | undefined;
  readonly maxExecutionTime: number | undefined;
  readonly maxRetryLimit: number;
  readonly respectContextWindow: boolean;
  readonly useBetterCompaction: boolean;
  readonly useSystemPrompt: boolean;
  readonly cache: boolean;
  readonly strictReact: boolean;
  readonly stream: boolean | undefined;
  readonly allowDelegation: boolean;
  readonly prompts: PromptOverrides;
  readonly stepCallback: StepCallback | undefined;
  readonly planningConfig: PlanningConfig | undefined;
  readonly skills: readonly SkillSource[] | undefined;
  readonly systemTemplate: string | undefined;
  readonly promptTemplate: string | undefined;
  readonly responseTemplate: string | undefined;
  readonly injectDate: boolean;
  readonly dateFormat: string;
  readonly functionCallingLlm: ModelSpec | undefined;
  readonly guardrails: ReadonlyArray<CheckedGuardrail<AgentOutput>>;
  readonly guardrailMaxRetries: number;
  readonly adapter: AgentAdapter | undefined;
  readonly verbose: boolean;
  readonly maxTokens: number | undefined;
  readonly apps: readonly string[];
  readonly mcps: readonly McpEntry[];
  /** Agents elsewhere, and how this agent is offered to others. */
  readonly a2a: readonly RemoteAgentEntry[];
  readonly multimodal: boolean;
  /** True if the agent may run code with the deployment's code runner. */
  readonly allowCodeExecution: boolean;
  readonly securityConfig: SecurityConfig;
  readonly hooks: readonly Hook[];
  readonly toolFailurePolicy: ToolFailurePolicy | undefined;
  readonly approveTools: true | readonly string[];
  readonly maxToolResultCharacters: number | undefined;
  readonly maxToolCallsPerTurn: number;
  readonly refuseRepeats: boolean | undefined;
  readonly memory: MemoryOption | undefined;
  readonly knowledge: KnowledgeFields["knowledge"];
  readonly knowledgeSources: KnowledgeFields["knowledgeSources"];
  readonly knowledgeConfig: KnowledgeFields["knowledgeConfig"];
  readonly embedder: KnowledgeFields["embedder"];

  /** Role with its white space, which YAML adds after folded texts: the key is derived from it. */
  readonly #writtenRole: string;
  readonly #options: AgentOptions;

  /** Throws `invalid_definition` and names the missing or out-of-range field. */
  constructor(options: AgentOptions) {
    if ("id" in Object(options))
      throw invalid("may_not_set_field: an agent's id is generated; remove `id`");
    refuseUnknownOptions(options, AGENT_OPTIONS, new.target !== Agent);
    for (const field of ["role", "goal", "backstory"] as const) {
      const value: unknown = options[field];
      if (typeof value !== "string")
        throw invalid(`agent.${field} must be a string, got ${preview(value)}`);
    }
    if (options.role.trim() === "") throw invalid("agent.role must not be empty");
    this.#options = options;
    this.role = options.role.trim();
    this.#writtenRole = options.role;
    this.goal = options.goal;
    this.backstory = options.backstory;
    this.llm = options.llm;
    const { tools, servers } = partTools(options.tools ?? [], `agent "${this.role}"`);
    this.tools = tools;
    this.deferTools = deferLimit(options.deferTools, this.role);
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
    this.useBetterCompaction = options.useBetterCompaction ?? true;
    this.useSystemPrompt = options.useSystemPrompt ?? true;
    this.cache = options.cache ?? true;
    this.strictReact = options.strictReact ?? false;
    this.stream = options.stream;
    this.allowDelegation = options.allowDelegation ?? false;
    this.prompts = options.prompts ?? {};
    mergePrompts(this.prompts);
    this.stepCallback = options.stepCallback;
    this.planningConfig = readPlanning(options, this.role);
    this.skills = checkSkillSources(options.skills, `agent "${this.role}"`);
    this.systemTemplate = checkTemplate("systemTemplate", options.systemTemplate, this.role);
    this.promptTemplate = checkTemplate("promptTemplate", options.promptTemplate, this.role);
    this.responseTemplate = checkTemplate("responseTemplate", options.responseTemplate, this.role);
    this.injectDate = options.injectDate ?? false;
    this.dateFormat = options.dateFormat ?? "%Y-%m-%d";
    this.functionCallingLlm = options.functionCallingLlm;
    this.guardrails =
      options.guardrail === undefined
        ? []
        : checkGuardrails(options.guardrail, {
            owner: `agent "${this.role}"`,
            field: "guardrail",
            hasModel: true,
          });
    this.guardrailMaxRetries = integer("guardrailMaxRetries", options.guardrailMaxRetries ?? 3, {
      min: 0,
      role: this.role,
    });
    this.adapter = checkAdapter(options.adapter, this.role);
    this.verbose = options.verbose ?? false;
    this.maxTokens = optionalInteger("maxTokens", options.maxTokens, this.role);
    this.apps = checkApps(options.apps, this.role);
    this.mcps = [...checkMcps(options.mcps, `agent "${this.role}"`), ...servers];
    this.a2a = checkA2a(options.a2a, this.role);
    this.multimodal = options.multimodal ?? false;
    this.allowCodeExecution = options.allowCodeExecution ?? false;
    this.securityConfig = securityConfigOf(options.securityConfig);
    this.hooks = checkHooks(options.hooks, `agent "${this.role}"`);
    this.toolFailurePolicy = checkFailurePolicy(options.toolFailurePolicy, `agent "${this.role}"`);
    this.approveTools = options.approveTools ?? [];
    this.maxToolResultCharacters = optionalInteger(
      "maxToolResultCharacters",
      options.maxToolResultCharacters,
      this.role,
    );
    this.maxToolCallsPerTurn = integer("maxToolCallsPerTurn", options.maxToolCallsPerTurn ?? 64, {
      min: 1,
      role: this.role,
    });
    this.refuseRepeats = options.refuseRepeats;
    const sources = checkSources(options, `agent "${this.role}"`);
    this.memory = sources.memory;
    this.knowledge = sources.knowledge;
    this.knowledgeSources = sources.knowledgeSources;
    this.knowledgeConfig = sources.knowledgeConfig;
    this.embedder = sources.embedder;
  }

  /** Returns an agent with some options changed. It has the same tools and knowledge, which are values. */
  copy(overrides: Partial<AgentOptions> = {}): Agent {
    return new Agent({ ...this.#options, ...overrides });
  }

  /** Names of all placeholders in the agent's texts. A run without a crew needs these inputs. */
  get placeholders(): readonly string[] {
    return [...new Set([this.role, this.goal, this.backstory].flatMap(placeholders))];
  }

  /**
   * Lets the agent answer, without a crew. Inside a flow, a tool or a crew it joins the current run; otherwise it runs
   * in this process with an in-process journal.
   */
  async kickoff<const Schema extends OutputSchema>(
    messages: AgentMessages,
    options: AgentKickoffOptions<Schema> = {},
  ): Promise<AgentOutput<ResponseOf<Schema>>> {
    refuseUnknownOptions(options, { method: "kickoff()", ...RUN_OPTIONS });
    const { responseFormat } = options;
    const request = this.#request(messages, options.inputs);
    const scope = RunScope.current();
    const joined = async (outer: RunScope): Promise<AgentRecord> => {
      const place = scopeHere(outer.atNext(`agent:${keySegment(this.role)}`));
      const files = startedFiles(options.inputFiles, place.services);
      const asked = { ...withFiles(request, files), responseFormat };
      return place
        .offering(files.services)
        .group("agent", (inside) => runAgent(inside, this, asked));
    };
    const record =
      scope === undefined
        ? await this.#local(request, options).outputUnattended()
        : await joined(scope);
    const output = typedAgentOutput(record, responseFormat);
    return output as AgentOutput<ResponseOf<Schema>>;
  }

  /** Starts a run in this process and returns its handle. */
  start(
    messages: AgentMessages,
    options: AgentKickoffOptions & LocalRunOptions = {},
  ): RunHandle<AgentRecord> {
    refuseUnknownOptions(options, { method: "start()", ...RUN_OPTIONS });
    return this.#local(this.#request(messages, options.inputs), options);
  }

  /** The agent's answer to one message, as text. */
  async message(text: string): Promise<string> {
    return (await this.kickoff(text)).raw;
  }

  /** Returns the program of the agent for a host. The run's inputs are an `AgentRequest`: `{ messages, inputs? }`. */
  program(options: AgentRunOptions = {}): RunProgram<AgentRecord> {
    return {
      run: (scope, input) => {
        const { services } = scope;
        const responseFormat = options.responseFormat ?? wantedFormat(services);
        const settings = wantedSettings(services);
        const wishes = settings === undefined ? { responseFormat } : { responseFormat, settings };
        return runAgent(scope, this, { ...readRequest(input), ...options, ...wishes });
      },
      tasks: [],
    };
  }

  #request(messages: AgentMessages, inputs: JsonObject | undefined): AgentRequest {
    checkMessages(messages);
    if (inputs === undefined) return { messages };
    checkInputs(inputs);
    return { messages, inputs };
  }

  #local(
    request: AgentRequest,
    options: AgentKickoffOptions & LocalRunOptions,
  ): LocalRun<AgentRecord> {
    const { responseFormat, inputs: _, inputFiles, ...rest } = options;
    const offered = servicesHere(rest.services ?? {});
    const files = startedFiles(inputFiles, offered);
    const inputs = withFiles(request, files);
    const start = { kind: "agent", name: this.role, inputs } as const;
    const store = localFileStore(inputFiles, offered);
    const services = withServices(offered, { ...files.services, ...store });
    return new LocalRun(start, this.program({ responseFormat }), { ...rest, services });
  }

  /** True when an agent of another framework does the work. */
  get adaptedAgent(): boolean {
    return this.adapter !== undefined;
  }

  /** MD5 of `role|goal|backstory`, as they were written. */
  get key(): string {
    return md5Hex([this.#writtenRole, this.goal, this.backstory].join("|"));
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this, "agent");
  }
}

function deferLimit(value: boolean | number | undefined, role: string): number | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? SHOWN_TOOLS : integer("deferTools", value, { min: 0, role });
}

/** The request with files among its inputs. An input takes precedence. */
function withFiles(request: AgentRequest, { inputs: files }: StartedFiles): AgentRequest {
  if (Object.keys(files).length === 0) return request;
  return { ...request, inputs: { ...files, ...request.inputs } };
}

function checkAdapter(
  adapter: Partial<AgentAdapter> | undefined,
  role: string,
): AgentAdapter | undefined {
  if (adapter === undefined) return undefined;
  for (const name of ["configureTools", "configureStructuredOutput", "execute"] as const) {
    if (typeof adapter[name] !== "function")
      throw invalid(
        `agent "${role}": adapter.${name} must be a function, got ${preview(adapter[name])}`,
      );
  }
  return adapter as AgentAdapter;
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
