// Types of this project by the names that rows use. Paths are those below `src`.

const inFlow = 'import("flow/index.ts")';
const inConversation = 'import("conversation/index.ts")';
const inMcp = 'import("entry/mcp.ts")';
const inA2a = 'import("entry/a2a.ts")';

export const OWNERS: {
  /** Types whose fields are options, or what a program reads. */
  readonly fields: Readonly<Record<string, string>>;
  /** Types whose members are methods. */
  readonly classes: Readonly<Record<string, string>>;
} = {
  fields: {
    Agent: 'import("index.ts").AgentOptions',
    Task: 'import("index.ts").TaskOptions',
    ConditionalTask: 'import("index.ts").ConditionalTaskOptions',
    Crew: 'import("index.ts").CrewOptions',
    Kickoff: 'import("index.ts").KickoffOptions',
    LLM: 'import("index.ts").ModelSettings',
    BaseTool: 'import("index.ts").ToolOptions<never>',
    EnvVar: 'import("index.ts").EnvVar',
    Flow: `${inFlow}.FlowOptions<never>`,
    FlowMethod: `${inFlow}.FlowMethod<never>`,
    Feedback: `${inFlow}.FeedbackDefinition`,
    ConversationConfig: `${inFlow}.ConversationConfig`,
    RouterConfig: `${inFlow}.RouterConfig`,
    ConversationState: `${inFlow}.ConversationState`,
    ConversationMessage: `${inFlow}.ConversationMessage`,
    FlowDefinition: 'import("declarative/index.ts").FlowDeclaration',
    Knowledge: 'import("entry/knowledge.ts").KnowledgeOptions',
    KnowledgeConfig: 'import("entry/knowledge.ts").KnowledgeConfig',
    Memory: 'import("entry/memory.ts").MemoryOptions',
    MemoryRecord: 'import("entry/memory.ts").MemoryRecord',
    MemoryMatch: 'import("entry/memory.ts").MemoryMatch',
    MemoryScope: 'import("entry/memory.ts").MemoryScope',
    MemorySlice: 'import("entry/memory.ts").MemorySliceOptions',
    ScopeInfo: 'import("entry/memory.ts").ScopeInfo',
    PlanningConfig:
      'NonNullable<Exclude<import("index.ts").AgentOptions["planningConfig"], boolean>>',
    CrewOutput: 'import("index.ts").CrewOutput',
    TaskOutput: 'import("index.ts").TaskOutput',
    LiteAgentOutput: 'import("index.ts").AgentOutput',
    SecurityConfig: 'import("index.ts").SecurityOptions',
    Fingerprint: 'import("index.ts").Fingerprint',
    MCPServerHTTP: `Parameters<typeof ${inMcp}.MCPServerHTTP>[0]`,
    MCPServerStdio: `Parameters<typeof ${inMcp}.MCPServerStdio>[0]`,
    MCPServerSSE: `Parameters<typeof ${inMcp}.MCPServerSSE>[0]`,
    SkillFrontmatter: 'import("index.ts").Skill',
    A2AClientConfig: `${inA2a}.A2AClientConfig`,
    A2AServerConfig: `${inA2a}.A2AOptions`,
    A2AExposed: `${inA2a}.A2AExposedOptions`,
    ConversableAgent: `${inConversation}.ConversableAgentOptions`,
    GroupChat: `${inConversation}.GroupChatOptions`,
    GroupChatManager: `${inConversation}.GroupChatManagerOptions`,
    GroupChatRequest: `${inConversation}.GroupChatRequest`,
    Chat: `${inConversation}.ChatOptions`,
    Run: `${inConversation}.AgentRunOptions`,
    Pattern: `${inConversation}.PatternOptions`,
  },
  classes: {
    Agent: 'import("index.ts").Agent',
    Task: 'import("index.ts").Task',
    Crew: 'import("index.ts").Crew',
    Flow: `InstanceType<ReturnType<typeof ${inFlow}.Flow>>`,
    FlowContext: `${inFlow}.FlowContext<never>`,
    Conversational: `${inFlow}.Conversational`,
    ConversationTools: `${inFlow}.ConversationTools`,
    Knowledge: 'import("entry/knowledge.ts").Knowledge',
    Memory: 'import("entry/memory.ts").Memory',
    MemoryScope: 'import("entry/memory.ts").MemoryScope',
    MemorySlice: 'import("entry/memory.ts").MemorySlice',
    RunHandle: 'import("index.ts").RunHandle',
    Client: 'ReturnType<typeof import("client/index.ts").createClient>',
    ConversableAgent: `${inConversation}.ConversableAgent`,
    GroupChatManager: `${inConversation}.GroupChatManager`,
    Handoffs: `${inConversation}.Handoffs`,
    ContextVariables: `${inConversation}.ContextVariables`,
  },
};
